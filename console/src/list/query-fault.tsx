import css from './list.module.css'

interface QueryFaultProps {
  /** The element that has the fault refers to it. */
  readonly id: string
  readonly text: string
  /** Offset in the text, in UTF-16 units. */
  readonly position: number
  readonly detail: string
}

const unitsAround = 24

/** The place of a fault in a query or filter, and what is wrong there. */
export function QueryFault({ id, text, position, detail }: QueryFaultProps) {
  return (
    <p id={id} className={css.fault} role="alert">
      <FaultPlace text={text} position={position} />
      {detail}
    </p>
  )
}

export const FaultPlace = ({ text, position }: Pick<QueryFaultProps, 'text' | 'position'>) => (
  <span className={css.mono} aria-hidden="true">
    {text.slice(Math.max(0, position - unitsAround), position)}
    <u>{text.slice(position, position + 1) || ' '}</u>
    {text.slice(position + 1, position + unitsAround)}
  </span>
)
