import { useEffect, useRef } from 'react'
import { t } from '../messages/i18n.ts'
import { showToast } from '../ui/toast.tsx'
import type { RecordEdits } from './use-record.ts'

/** Discards what is typed, and offers to take it back while the form is in the page; what is typed meanwhile stays. */
export function useDiscard({ discard }: RecordEdits): () => void {
  const endUndo = useRef<ReturnType<typeof showToast> | null>(null)
  useEffect(() => () => endUndo.current?.(undefined), [])
  return () => {
    const restore = discard()
    endUndo.current = showToast(t('form.discarded'), { label: t('action.undo'), run: restore })
  }
}
