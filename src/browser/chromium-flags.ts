import { pageHeapMebibytes } from './limits.ts';

export interface FlagOptions {
  readonly profile: string;
  readonly sandbox: boolean;
  /** Address of the proxy for all traffic, loopback included; null for none. */
  readonly proxyServer: string | null;
}

const DISABLED_FEATURES = [
  // A page that is answered from the store comes from no address, so the browser would keep it from its own network.
  // Which addresses may be reached is decided outside of the browser.
  'LocalNetworkAccessChecks',
  // Show and load what the page says, when it says it; no process is kept for a page that may come.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'PaintHolding',
  'SpareRendererForSitePerProcess',
  'Prerender2',
  // No requests of the browser's own.
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'Translate',
  // Requests that are intercepted and redirected would be aborted (Playwright issue 43242).
  'AvoidCorsURLLoaderRestartOnRedirect',
] as const;

/** A cookie goes to the port that it is of, and not to whatever else runs on that host. */
const ENABLED_FEATURES = ['EnablePortBoundCookies'] as const;

/** Pages look and behave the same on every machine, whatever else happens in the browser. */
const SAME_EVERYWHERE = [
  '--lang=en-US',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
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

/** The browser asks nobody and tells nobody. */
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
  // Of its log, errors alone. What pages write to their console would be kept in this process, 500 lines of any length.
  '--log-level=2',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
] as const;

/** No page keeps another from working, and none goes around the proxy. */
const CONTAINED = [
  // A frame of another site that hangs does not take the page with it. Some builds leave this off.
  '--site-per-process',
  // Hanging pages are found and ended by the pool, with a reason.
  '--disable-hang-monitor',
  // Shared memory goes to the profile's temporary folder: /dev/shm is 64 MB in containers.
  '--disable-dev-shm-usage',
  `--js-flags=--max-old-space-size=${pageHeapMebibytes}`,
  '--dns-prefetch-disable',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const;

/** The browser's whole command line. Nothing is left to the defaults of Playwright, which change with its versions. */
export function chromiumFlags(options: FlagOptions): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profile}`,
    ...(options.sandbox ? [] : ['--no-sandbox']),
    // By default a browser goes around its proxy for loopback addresses.
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
