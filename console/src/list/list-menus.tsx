import { memo, useDeferredValue } from 'react'
import { useSeesColumns } from '../app.tsx'
import { columnsOfView, type TableInfo } from '../table/table-info.ts'
import { ColumnChooser } from './column-chooser.tsx'
import { ExportMenu } from './export-menu.tsx'
import { GroupMenu } from './group-menu.tsx'
import type { ListState } from './list-state.ts'
import type { useList } from './use-list.ts'

interface ListMenusProps {
  readonly info: TableInfo
  readonly state: ListState
  readonly list: ReturnType<typeof useList>
  /** The user may make columns those of everybody. */
  readonly mayStoreForAll: boolean
  readonly onChange: (next: Partial<Omit<ListState, 'query'>>) => void
}

/** Groups, columns and export of a list. They follow in a rendering of their own, as the rows do: no click waits until they are rendered. */
export const ListMenus = (props: ListMenusProps) => <Menus {...useDeferredValue(props)} />

const Menus = memo(function Menus({ info, state, list, mayStoreForAll, onChange }: ListMenusProps) {
  const { look, paths, body } = list
  return (
    <>
      {useSeesColumns() && (
        <>
          <GroupMenu info={info} group={state.group} onChange={(group) => onChange({ group })} />
          <ColumnChooser
            info={info}
            chosen={paths}
            onChange={(columns) => onChange({ columns })}
            onStore={(stored, isLeft) => {
              look.storeColumns(stored)
              // A view in the address would outrank them.
              if (!isLeft) onChange({ columns: undefined, view: undefined })
            }}
            mayStoreForAll={mayStoreForAll}
            isOwn={columnsOfView(info, state.view) === undefined && look.columns !== undefined}
          />
        </>
      )}
      <ExportMenu table={info.entry.name} query={state.query} fields={body.columns.map(({ path }) => path)} />
    </>
  )
})
