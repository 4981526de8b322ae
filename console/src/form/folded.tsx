import { type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import css from './form.module.css'

/** Shorter texts fit without being measured. */
const minUnits = 500

interface FoldedProps {
  /** Length of all texts in it, in UTF-16 units. */
  readonly units: number
  readonly children: ReactNode
}

/** Displays the first lines of a long text, and the rest if the user asks for it. */
export function Folded({ units, children }: FoldedProps) {
  return units < minUnits ? children : <FoldedText>{children}</FoldedText>
}

function FoldedText({ children }: Pick<FoldedProps, 'children'>) {
  const frame = useRef<HTMLDivElement>(null)
  const text = useRef<HTMLDivElement>(null)
  const [isTall, setTall] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (text.current === null || isOpen) return undefined
    // The differences of two texts come later, and the width of the stream changes.
    const observer = new ResizeObserver(([entry]) => {
      setTall((entry?.contentRect.height ?? 0) > (frame.current?.clientHeight ?? 0) + 1)
    })
    observer.observe(text.current)
    return () => observer.disconnect()
  }, [isOpen])
  return (
    <>
      <div ref={frame} className={css.folded} data-open={isOpen}>
        <div ref={text}>{children}</div>
      </div>
      {isTall && (
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'activity.less' : 'activity.whole')}
        </Button>
      )}
    </>
  )
}
