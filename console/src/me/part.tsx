import { type ReactNode, useId } from 'react'
import css from './me.module.css'

interface PartProps {
  readonly title: string
  readonly hint?: string
  readonly children: ReactNode
}

/** A section of the settings with a heading. */
export function Part({ title, hint, children }: PartProps) {
  const id = useId()
  return (
    <section className={css.part} aria-labelledby={id}>
      <div className={css.partHead}>
        <h2 id={id}>{title}</h2>
        {hint !== undefined && <p className={css.quiet}>{hint}</p>}
      </div>
      <div className={css.partBody}>{children}</div>
    </section>
  )
}
