/**
 * Whether a host is this machine.
 * @param host a name or an address; IPv6 with or without brackets
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/i.test(host);
}
