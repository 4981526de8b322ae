import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'

/** Saves an export whose parameters fit into no address: they are the body of a request, and the browser keeps the file until it is saved. */
export async function saveExport(table: string, parameters: URLSearchParams): Promise<void> {
  showToast(t('selected.exporting'))
  try {
    const response = await docket.send({
      method: 'POST',
      path: `/rest/v1/export/${encodeURIComponent(table)}/query`,
      body: Object.fromEntries(parameters),
      isRead: true,
    })
    save(await response.blob(), `${table}.${parameters.get('format')}`)
    showToast(t('selected.exported'))
  } catch (problem) {
    if (!endIfSignedOut(problem)) showToast(messageOf(problem))
  }
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
