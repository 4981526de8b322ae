/** Whether an installation works with it. Exit code 1 is for faults; a warning is something that somebody should look at. */
export type Level = 'warning' | 'fault'

/** Every fault that `docket doctor` knows. docs/troubleshooting.md has a section for each. */
export const faults = {
  'settings-wrong': 'fault',
  'base-url-contradicts': 'warning',
  'data-directory-unwritable': 'fault',
  'data-directory-open': 'fault',
  'disk-nearly-full': 'fault',
  'database-unreachable': 'fault',
  'database-refuses-login': 'fault',
  'postgresql-too-old': 'fault',
  'database-not-utf8': 'fault',
  'trigrams-missing': 'warning',
  'trigrams-without-letters': 'warning',
  'restore-unfinished': 'fault',
  'schema-behind': 'fault',
  'schema-ahead': 'fault',
  'migration-changed': 'fault',
  'clock-differs': 'fault',
  'demo-users-exposed': 'fault',
  'table-without-rules': 'warning',
  'rule-broken': 'fault',
  'view-broken': 'fault',
  'filter-broken': 'fault',
  'adopted-table-drifted': 'fault',
  'job-dead': 'fault',
  'lease-stale': 'fault',
  'load-failed': 'warning',
  'follow-failed': 'fault',
  'file-missing': 'fault',
  'file-damaged': 'fault',
  'file-orphaned': 'warning',
  'file-stores-differ': 'fault',
  'document-incomplete': 'fault',
  'index-differs': 'fault',
  'delivery-dead': 'warning',
  'webhook-without-owner': 'fault',
  'events-held-back': 'fault',
  'check-failed': 'fault',
} as const satisfies Readonly<Record<string, Level>>

export type FaultName = keyof typeof faults
