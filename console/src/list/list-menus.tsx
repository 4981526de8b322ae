import { memo, useDeferredValue } from 'react'
import { useSeesColumns } from '../app.tsx'
import type { PathColumn } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { ColumnChooser } from './column-chooser.tsx'
import { ExportMenu } from './export-menu.tsx'
import { GroupMenu } from './group-menu.tsx'
import type { ListState } from './list-state.ts'

interface ListMenusProps {
  readonly info: TableInfo
  readonly group: readonly string[]
  readonly query: string
  readonly columns: readonly PathColumn[]
  readonly paths: readonly string[]
  /** The columns are the user's own. */
  readonly isOwn: boolean
  readonly mayStoreForAll: boolean
  readonly onState: (next: Partial<Pick<ListState, 'group' | 'columns' | 'view'>>) => void
  readonly onStore: (columns: readonly string[] | undefined) => void
}

/** Groups, columns and export. They follow in a rendering of their own, as the rows do, so that no click waits until they are rendered. */
export const ListMenus = (props: ListMenusProps) => <Menus {...useDeferredValue(props)} />

const Menus = memo(function Menus({ info, group, query, columns, paths, onState, ...props }: ListMenusProps) {
  return (
    <>
      {useSeesColumns() && (
        <>
          <GroupMenu info={info} group={group} onChange={(next) => onState({ group: next })} />
          <ColumnChooser
            info={info}
            chosen={paths}
            onChange={(next) => onState({ columns: next })}
            onStore={(chosen) => {
              props.onStore(chosen)
              // A view in the address would outrank them.
              onState({ columns: undefined, view: undefined })
            }}
            mayStoreForAll={props.mayStoreForAll}
            isOwn={props.isOwn}
          />
        </>
      )}
      <ExportMenu table={info.entry.name} query={query} fields={columns.map(({ path }) => path)} />
    </>
  )
})
