import { useEffect, useRef, useState } from 'react'
import type { Paste } from './paste-block.ts'

interface PasteModel extends Omit<Paste, 'text' | 'column'> {
  readonly gridId: string
  /** null: the row itself has the focus. */
  readonly column: number | null
  readonly isClosed: boolean
}

/** What was pasted while a cell of the grid had the focus. The browser sends the event to the text selection, which may be elsewhere. */
export function usePastedBlock(model: PasteModel) {
  const latest = useRef(model)
  latest.current = model
  const [pasted, setPasted] = useState<Paste | null>(null)
  useEffect(() => {
    const listen = ({ clipboardData }: ClipboardEvent): void => {
      const { gridId, column, isClosed, ...place } = latest.current
      const text = clipboardData?.getData('text/plain') ?? ''
      const { activeElement } = document
      const isCell =
        activeElement?.role === 'gridcell' && activeElement.closest('[role=row]')?.id === `${gridId}-${place.row}`
      if (isCell && column !== null && !isClosed && text !== '') setPasted({ ...place, text, column })
    }
    addEventListener('paste', listen)
    return () => removeEventListener('paste', listen)
  }, [])
  return [pasted, () => setPasted(null)] as const
}
