import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'

interface Export {
  readonly table: string
  readonly parameters: URLSearchParams
  /** null: the parameters fit into no address. */
  readonly address: string | null
  readonly fileName: string
}

/** Saves an export as a file. */
export async function runExport({ table, parameters, address, fileName }: Export): Promise<void> {
  try {
    if (address !== null) {
      // A download that the server rejects is nothing but a failed file in the browser's own list.
      await docket.session()
      return save(address, fileName)
    }
    showToast(t('selected.exporting'))
    const { body } = await docket.send({
      method: 'POST',
      path: `/rest/v1/export/${encodeURIComponent(table)}/query`,
      body: Object.fromEntries(parameters),
      isRead: true,
    })
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
