import { pageHeapMebibytes } from './limits.ts';

export interface FlagOptions {
  readonly profile: string;
  readonly sandbox: boolean;
  /** Address of the proxy for all traffic, including loopback; null for none. */
  readonly proxyServer: string | null;
  /** Whether shared memory is in files in the profile's temporary folder instead of `/dev/shm`. */
  readonly keepsSharedMemoryInFiles: boolean;
}

const DISABLED_FEATURES = [
  // A stored page has no IP address, so the browser would block its requests to private networks. The address guard of the
  // proxy decides which addresses are allowed.
  'LocalNetworkAccessChecks',
  // Do not rewrite, delay or prepare navigations.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'PaintHolding',
  'SpareRendererForSitePerProcess',
  'Prerender2',
  // Features for which the browser sends its own requests.
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'Translate',
  // Aborts requests that are intercepted and redirected (Playwright issue 43242).
  'AvoidCorsURLLoaderRestartOnRedirect',
] as const;

/** Cookies are sent only to the port that set them, not to other services on the host. */
const ENABLED_FEATURES = ['EnablePortBoundCookies'] as const;

/** Settings of the rendering engine. They take precedence over settings that the browser derives from the machine. */
const BLINK_SETTINGS = [
  // Pretend that every machine has a mouse.
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'primaryPointerType=4',
  'availablePointerTypes=4',
  // Screenshots of whole pages include content beyond the viewport. The page cannot notice any change of the viewport.
  'mainFrameClipsContent=false',
] as const;

/** Makes pages look and behave the same on every machine, regardless of other pages. */
const SAME_EVERYWHERE = [
  '--lang=en-US',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  `--blink-settings=${BLINK_SETTINGS.join(',')}`,
  '--disable-field-trial-config',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-back-forward-cache',
  '--disable-extensions',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--mute-audio',
] as const;

/** Turns off the browser's background requests, reports and prompts. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-sync',
  '--disable-search-engine-choice-screen',
  '--disable-prompt-on-repost',
  '--disable-print-preview',
  '--metrics-recording-only',
  // Log errors only. Otherwise, Playwright keeps the last 500 lines that pages write to their console, regardless of length.
  '--log-level=2',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
] as const;

/** Isolates pages from each other, and keeps their traffic from bypassing the proxy. */
const CONTAINED = [
  // A hanging frame of another site does not block the page. Some builds have this off.
  '--site-per-process',
  // The pool finds and ends hanging pages, and reports why.
  '--disable-hang-monitor',
  `--js-flags=--max-old-space-size=${pageHeapMebibytes}`,
  '--dns-prefetch-disable',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const;

/** Returns all arguments of the browser. Playwright's defaults are not used, because they change from version to version. */
export function chromiumFlags(options: FlagOptions): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profile}`,
    ...(options.sandbox ? [] : ['--no-sandbox']),
    ...(options.keepsSharedMemoryInFiles ? ['--disable-dev-shm-usage'] : []),
    // By default, requests to loopback addresses bypass the proxy.
    ...(options.proxyServer === null
      ? []
      : [`--proxy-server=${options.proxyServer}`, '--proxy-bypass-list=<-loopback>']),
    ...SAME_EVERYWHERE,
    ...QUIET,
    ...CONTAINED,
    `--enable-features=${ENABLED_FEATURES.join(',')}`,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    'about:blank',
  ];
}
