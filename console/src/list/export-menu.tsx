import { Menu } from '@base-ui/react/menu'
import type { MouseEvent } from 'react'
import { useSeesColumns } from '../app.tsx'
import { prefix } from '../facts.ts'
import { loadPart } from '../load-part.ts'
import { t, withMessages } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'

interface ExportSource {
  readonly table: string
  readonly query: string
  readonly fields: readonly string[]
}

const kinds = [
  { format: 'csv', display: true, title: 'export.csvShown' },
  { format: 'csv', display: false, title: 'export.csvStored' },
  { format: 'ndjson', display: false, title: 'export.ndjson' },
] as const

/** Longest address of a link, in characters: proxies accept request lines of 8 kB. */
const longestAddress = 7_000

/** Properties of a link that exports. The browser streams the file to the disk; the page never holds it, unless its query fits into no address. */
export function exportLink(source: ExportSource, format: 'csv' | 'ndjson', display: boolean) {
  const { table, query } = source
  const fields = ['sys_id', ...source.fields.filter((field) => field !== 'sys_id')]
  const parameters = new URLSearchParams({
    format,
    sysparm_query: query,
    sysparm_fields: fields.join(','),
    ...(display ? { sysparm_display_value: '1' } : {}),
  })
  const href = `${prefix}/rest/v1/export/${encodeURIComponent(table)}?${parameters}`
  const download = `${table}.${format}`
  const onClick = (event: MouseEvent): void => {
    event.preventDefault()
    const file = { fileName: download, address: href.length > longestAddress ? null : href }
    void loadPart(() => withMessages(import('./run-export.ts'), 'dialogs')).then(
      ({ runExport }) => runExport(file, { table, query, fields, format, display }),
      (error) => showToast(messageOf(error)),
    )
  }
  return { href, download, onClick }
}

/** Exports the filtered rows with the displayed columns. Stored values are for those who see columns. */
export function ExportMenu(source: ExportSource) {
  const seesColumns = useSeesColumns()
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button look="quiet" aria-label={t('export.title')} />}>
        <Icon name="download" /> <span className={css.wideOnly}>{t('export.title')}</span>
      </Menu.Trigger>
      <Menu.Portal container={import.meta.env.SSR ? null : document.getElementById('page')}>
        <Menu.Positioner sideOffset={6} align="end" className={ui.layer}>
          <Menu.Popup className={ui.popup}>
            {kinds
              .filter(({ display }) => display || seesColumns)
              .map(({ format, display, title }) => (
                <Menu.Item key={title} className={ui.item} render={<a {...exportLink(source, format, display)} />}>
                  {t(title)}
                </Menu.Item>
              ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
