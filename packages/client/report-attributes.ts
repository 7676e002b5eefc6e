// Generated from the tables of attributes and engines by `npm run api-types`. Do not edit.
/** The settings of a report by their names in the API: for forms, with the defaults of the API. */
export const REPORT_ATTRIBUTES = {
  starting_url: { label: 'Address', field: 'url', default: '', isPro: false, creditsPerPage: 0 },
  max_pages: { label: 'Maximum pages', field: 'number', default: 10, isPro: false, creditsPerPage: 0 },
  rate_limit: { label: 'Maximum requests per second', field: 'number', default: 1, isPro: false, creditsPerPage: 0 },
  deep_crawl: { label: 'Follow the links of all pages', field: 'flag', default: true, isPro: false, creditsPerPage: 0 },
  prefer_canonical_urls: { label: 'List pages under their canonical address', field: 'flag', default: true, isPro: false, creditsPerPage: 0 },
  respect_robots_txt: { label: 'Obey robots.txt', field: 'flag', default: false, isPro: false, creditsPerPage: 0 },
  dynamic_crawler: { label: 'Dynamic crawler: render pages in a browser', field: 'flag', default: false, isPro: true, creditsPerPage: 1 },
  initial_urls: { label: 'Additional addresses', field: 'lines', default: [], isPro: true, creditsPerPage: 0 },
  inclusions: { label: 'Included addresses', field: 'lines', default: [], isPro: true, creditsPerPage: 0 },
  exclusions: { label: 'Excluded addresses', field: 'lines', default: [], isPro: true, creditsPerPage: 0 },
  device_id: { label: 'Device', field: 'device', default: null, isPro: true, creditsPerPage: 0 },
  device_rotated: { label: 'Rotated', field: 'flag', default: false, isPro: true, creditsPerPage: 0 },
  wait_for: { label: 'Wait for an element', field: 'text', default: null, isPro: true, creditsPerPage: 0 },
  block_writes: { label: 'Behind a login, block page requests that may change data', field: 'flag', default: true, isPro: false, creditsPerPage: 0 },
  journeys: { label: 'Journeys', field: 'steps', default: [], isPro: true, creditsPerPage: 0 },
  only_journeys: { label: 'Check only the journeys', field: 'flag', default: false, isPro: true, creditsPerPage: 0 },
  explore_states: { label: 'Open menus, dialogs and tabs', field: 'flag', default: false, isPro: true, creditsPerPage: 0 },
  consent: { label: 'Consent banners', field: 'choice', default: null, isPro: true, creditsPerPage: 0 },
  standard: { label: 'Standard', field: 'choice', default: null, isPro: false, creditsPerPage: 0 },
  best_practices: { label: 'Best practices also count', field: 'flag', default: false, isPro: false, creditsPerPage: 0 },
  store_screenshots: { label: 'A screenshot of each page', field: 'flag', default: false, isPro: true, creditsPerPage: 0 },
  reuse: { label: 'Reuse results of unchanged pages', field: 'flag', default: true, isPro: false, creditsPerPage: 0 },
  tags: { label: 'Tags', field: 'text', default: [], isPro: false, creditsPerPage: 0 },
  shared: { label: 'Anyone with the link can read the report', field: 'flag', default: false, isPro: false, creditsPerPage: 0 },
  perform_html_checks: { label: 'HTML', field: 'flag', default: true, isPro: false, creditsPerPage: 1 },
  perform_a11y_checks: { label: 'Accessibility', field: 'flag', default: false, isPro: true, creditsPerPage: 1 },
  perform_link_checks: { label: 'Links', field: 'flag', default: false, isPro: false, creditsPerPage: 1 },
  store_raw_html_checks: { label: 'Raw results of the HTML checks', field: 'flag', default: false, isPro: true, creditsPerPage: 1 },
  store_raw_a11y_checks: { label: 'Raw results of the accessibility checks', field: 'flag', default: false, isPro: true, creditsPerPage: 1 },
  store_raw_link_checks: { label: 'Raw results of the link checks', field: 'flag', default: false, isPro: true, creditsPerPage: 1 },
} as const;

/** The kinds of checks. */
export const CHECKS = {
  html: { title: 'HTML' },
  a11y: { title: 'Accessibility' },
  link: { title: 'Links' },
} as const;

/** In display order. */
export const CHECK_KINDS = ['html', 'a11y', 'link'] as const;
