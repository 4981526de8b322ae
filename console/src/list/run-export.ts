import { exportFile } from 'docket-client/bulk'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'

interface ExportedFile {
  readonly fileName: string
  /** null: the query fits into no address. */
  readonly address: string | null
}

interface Exported {
  readonly table: string
  readonly query: string
  readonly fields: readonly string[]
  readonly format: 'csv' | 'ndjson'
  readonly display: boolean
}

/** Saves an export as a file. */
export async function runExport(
  { fileName, address }: ExportedFile,
  { table, query, fields, format, display }: Exported,
): Promise<void> {
  try {
    if (address !== null) {
      // A download that the server rejects is nothing but a failed file in the browser's own list.
      await docket.session()
      return save(address, fileName)
    }
    showToast(t('selected.exporting'))
    const body = await exportFile(docket, table, { query, fields, format, display: display ? 'display' : 'value' })
    const made = URL.createObjectURL(await new Response(body).blob())
    save(made, fileName)
    // The browser reads the file after this turn.
    setTimeout(() => URL.revokeObjectURL(made), 60_000)
    showToast(t('selected.exported'))
  } catch (problem) {
    if (!endIfSignedOut(problem)) showToast(messageOf(problem))
  }
}

function save(address: string, fileName: string): void {
  Object.assign(document.createElement('a'), { href: address, download: fileName }).click()
}
