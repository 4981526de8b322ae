import { Combobox } from '@base-ui/react/combobox'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { any, condition } from 'docket-client'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import css from './table.module.css'
import type { TableInfo } from './table-info.ts'
import { useTable } from './use-table.ts'

export interface Reference {
  readonly value: string
  readonly label: string
  /** A second line that distinguishes people of the same name. */
  readonly hint?: string | undefined
}

interface ReferencePickerProps {
  readonly table: string
  /** Columns of the table that are searched for words. */
  readonly searched: readonly string[]
  readonly value: Reference | null
  readonly onChange: (value: Reference | null) => void
  readonly id?: string
  readonly label?: string
  readonly isDisabled?: boolean
  /** Suggested before the user types, such as the user's own record. */
  readonly suggestions?: readonly Reference[]
  readonly isInvalid?: boolean
  readonly isRequired?: boolean
  /** Id of the error message. */
  readonly describedBy?: string | undefined
  readonly onOpen?: (() => void) | undefined
  readonly onTyped?: ((text: string) => void) | undefined
}

const maxHits = 20
const HINTS = ['email', 'company', 'location', 'short_description', 'state']

/** Finds a record of another table by its display value, by what people know it by, and by the columns of its table that are searched. */
export function ReferencePicker({
  table,
  searched,
  value,
  onChange,
  id,
  label,
  isDisabled = false,
  suggestions = [],
  isInvalid = false,
  isRequired = false,
  describedBy,
  onOpen,
  onTyped,
}: ReferencePickerProps) {
  const [text, setText] = useState(value?.label ?? '')
  const displayed = useRef(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another record replaces the typed text
  useEffect(() => {
    const { current: before } = displayed
    displayed.current = value
    // The name of the same record may come after the user has begun to type.
    const isOther = before?.value !== value?.value
    setText((typed) => (isOther || typed === (before?.label ?? '') ? (value?.label ?? '') : typed))
  }, [value?.value, value?.label])
  const [isOpen, setOpen] = useState(false)
  const wanted = useDeferredValue(text === (value?.label ?? '') ? '' : text)
  const { data = [], isFetching } = useHits({ table, searched }, wanted, isOpen)
  const items =
    wanted === ''
      ? [...suggestions, ...data.filter((hit) => suggestions.every((each) => each.value !== hit.value))]
      : data
  return (
    <Combobox.Root<Reference>
      items={items}
      filter={null}
      value={value}
      open={isOpen}
      onOpenChange={(next) => {
        setOpen(next)
        if (next) onOpen?.()
        if (!next && text === '' && value !== null) onChange(null)
        else if (!next) setText(value?.label ?? '')
      }}
      inputValue={text}
      onInputValueChange={(next, { reason }) => {
        setText(next)
        if (reason === 'input-change') onTyped?.(next)
      }}
      onValueChange={onChange}
      isItemEqualToValue={(one, other) => one?.value === other?.value}
      itemToStringLabel={(item) => item?.label ?? ''}
      disabled={isDisabled}
      autoHighlight
    >
      <div className={css.combo}>
        <Combobox.Input
          id={id}
          aria-label={label}
          aria-invalid={isInvalid || undefined}
          aria-required={isRequired || undefined}
          aria-describedby={describedBy}
          className={ui.input}
          placeholder={t('picker.placeholder')}
        />
        <Combobox.Trigger className={css.comboButton} aria-label={t('picker.open')} tabIndex={-1}>
          <Icon name="chevron" size={14} />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className={ui.layer}>
          <Combobox.Popup className={classes(ui.popup, css.wide)}>
            <Combobox.Status className={css.status}>
              {isFetching ? t('state.loading') : items.length === 0 ? t('picker.nothing') : null}
            </Combobox.Status>
            <Combobox.List>
              {(item: Reference) => (
                <Combobox.Item key={item.value} value={item} className={ui.item}>
                  <span className={css.itemText}>
                    {item.label}
                    {item.hint !== undefined && <small>{item.hint}</small>}
                  </span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

function useHits({ table, searched }: Pick<ReferencePickerProps, 'table' | 'searched'>, text: string, isOpen: boolean) {
  const { data: info } = useTable(table)
  return useQuery({
    queryKey: ['hits', table, text],
    enabled: isOpen && info !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Reference[]> => {
      if (info === undefined) return []
      await new Promise((resolve) => setTimeout(resolve, text === '' ? 0 : 200))
      signal.throwIfAborted()
      const { displayColumn } = info
      const names = [displayColumn, 'email', 'number', 'user_name', ...searched].filter(
        // Long texts are for the search of documents and lists: too many records have any word.
        (name, at, all) =>
          info.columns.get(name)?.type !== 'text' && info.columns.has(name) && all.indexOf(name) === at,
      )
      const [first = displayColumn, ...others] = names
      const where =
        text === '' ? null : any(condition(first, 'LIKE', text), ...others.map((name) => condition(name, 'LIKE', text)))
      const orders = [{ path: [displayColumn], direction: 'ascending', position: 0 }] as const
      return readReferences(info, { where, orders }, { signal, max: maxHits })
    },
  })
}

interface ReadOptions {
  readonly signal: AbortSignal
  readonly max: number
}

/** Records of the query as the picker displays them. */
export async function readReferences(
  info: TableInfo,
  query: Parameters<ReturnType<typeof docket.table>['page']>[0],
  { signal, max }: ReadOptions,
): Promise<readonly Reference[]> {
  const { displayColumn } = info
  const hints = HINTS.filter((name) => info.columns.has(name)).slice(0, 2)
  const fields = ['sys_id', displayColumn, ...hints]
  const { rows } = await docket.table(info.entry.name).page(query, { fields, display: 'all', limit: max, signal })
  return rows.map((row) => ({
    value: String(row['sys_id']?.value),
    label: row[displayColumn]?.display_value ?? String(row['sys_id']?.value),
    hint:
      hints
        .map((name) => row[name]?.display_value)
        .filter((each) => each != null && each !== '')
        .join(' · ') || undefined,
  }))
}
