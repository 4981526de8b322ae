import type { Check, DatabaseGround, SettingsGround } from './check.ts'
import { checkAdoptedTables } from './checks/adopted-tables.ts'
import { checkClock } from './checks/clock.ts'
import { checkDataDirectory } from './checks/data-directory.ts'
import { checkDemoUsers } from './checks/demo-users.ts'
import { checkDisk } from './checks/disk.ts'
import { checkDocuments } from './checks/documents.ts'
import { checkEvents } from './checks/events.ts'
import { checkFileStores } from './checks/file-stores.ts'
import { checkAttachments, checkDocumentFiles } from './checks/files.ts'
import { checkFilters } from './checks/filters.ts'
import { checkJobs } from './checks/jobs.ts'
import { checkRules } from './checks/rules.ts'
import { checkSearchIndex } from './checks/search-index.ts'
import { checkSettings } from './checks/settings.ts'
import { checkTables } from './checks/tables.ts'
import { checkTrigrams } from './checks/trigrams.ts'
import { checkViews } from './checks/views.ts'
import { checkWebhooks } from './checks/webhooks.ts'

export const settingsChecks: readonly Check<SettingsGround>[] = [checkSettings, checkDataDirectory, checkDisk]

export const databaseChecks: readonly Check<DatabaseGround>[] = [
  checkClock,
  checkTrigrams,
  checkDemoUsers,
  checkTables,
  checkRules,
  checkViews,
  checkFilters,
  checkAdoptedTables,
  checkJobs,
  checkDocuments,
  checkDocumentFiles,
  checkAttachments,
  checkFileStores,
  checkSearchIndex,
  checkWebhooks,
  checkEvents,
]
