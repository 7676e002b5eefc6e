/**
 * The purposes of encrypted secrets in the database. Each secret is bound to its row, so that it cannot be decrypted if it is
 * copied to another row.
 */

/** The purpose of `basic_auth`, `headers`, `cookies`, `login` and the secrets of `journeys` of a report, a schedule or a site. */
export type AccessOwner = `report ${string}` | `schedule ${string}` | `site ${string}`;

export function hookSigningPurpose(scheduleId: string): string {
  return `signatures of schedule ${scheduleId}`;
}

export function loginSessionPurpose(reportId: string): string {
  return `session ${reportId}`;
}

/** The purpose of the values of all sessions of a report, which are masked. */
export function loginSecretsPurpose(reportId: string): string {
  return `session secrets ${reportId}`;
}

export function channelUrlPurpose(channelId: string): string {
  return `notification channel ${channelId} url`;
}

export function channelSecretPurpose(channelId: string): string {
  return `notification channel ${channelId} secret`;
}
