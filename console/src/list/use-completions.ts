import { useQueries, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useId, useMemo, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { maxHops } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { tableQuery, useTables } from '../table/use-table.ts'
import { type Completion, type CompletionContext, completionsAt, tablesToRead } from './complete-query.ts'

interface Completed {
  readonly info: TableInfo
  readonly input: RefObject<HTMLInputElement | null>
  readonly draft: string
}

/** What is offered at the cursor of a query, and the keys of a combobox (ARIA authoring practices): typing is never blocked. */
export function useCompletions({ info, input, draft }: Completed) {
  const listId = useId()
  const client = useQueryClient()
  const [isWanted, setWanted] = useState(false)
  const [cursor, setCursor] = useState(draft.length)
  /** null: the user has chosen none. */
  const [chosen, setChosen] = useState<number | null>(null)
  const at = Math.min(cursor, draft.length)
  const { data: tables = [] } = useTables()
  const context: CompletionContext = {
    name: info.entry.name,
    table: info,
    tables,
    known: (name) => client.getQueryData(tableQuery(name).queryKey),
    maxHops,
    translate: t,
  }
  // A table that is read later brings its columns.
  const read = useQueries({ queries: isWanted ? tablesToRead(draft, at, context).map(tableQuery) : [] })
  const known = read.filter(({ data }) => data !== undefined).length
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read of other tables changes what is offered
  const { items, isTyped } = useMemo(
    () => (isWanted ? completionsAt(draft, at, context) : { items: [], isTyped: false }),
    [isWanted, draft, at, info, client, tables, known, read.length],
  )
  const isOpen = items.length > 0
  const active = Math.min(chosen ?? (isTyped ? 0 : -1), items.length - 1)
  const follow = (): void => {
    setCursor(input.current?.selectionStart ?? 0)
    setChosen(null)
  }
  const take = (item: Completion): void => {
    const { current } = input
    if (current === null) return
    current.focus()
    current.setSelectionRange(item.from, item.to)
    // As if it were typed: the browser's own undo takes it back.
    document.execCommand('insertText', false, item.insert)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    const isCall = event.ctrlKey && event.code === 'Space'
    const item = items[active]
    if (isCall || (isArrow && !isOpen)) {
      setWanted(true)
      follow()
    } else if (isArrow && !event.altKey) {
      const by = event.key === 'ArrowDown' ? 1 : -1
      // Above the first one is none, and the next one is the last.
      setChosen(((active + 1 + by + items.length + 1) % (items.length + 1)) - 1)
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation()
      setWanted(false)
    } else if ((event.key === 'Enter' || event.key === 'Tab') && item !== undefined && !event.shiftKey) take(item)
    else return
    event.preventDefault()
  }
  return {
    items,
    active,
    take,
    isOpen,
    listId,
    field: {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? listId : undefined,
      'aria-activedescendant': isOpen && active >= 0 ? `${listId}-${active}` : undefined,
      onChange: () => {
        setWanted(true)
        follow()
      },
      // The cursor was moved by a key or the pointer.
      onSelect: () => input.current?.selectionStart !== cursor && follow(),
      onBlur: () => setWanted(false),
      onKeyDown,
    },
  } as const
}
