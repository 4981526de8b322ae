import type { ReactNode } from 'react'
import css from './frame.module.css'

export function NavGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2 className={css.groupTitle}>{title}</h2>
      <ul className={css.links}>{children}</ul>
    </section>
  )
}

/** One line; the pointer displays the whole. */
export const LinkText = ({ text }: { readonly text: string }) => (
  <span className={css.linkText} title={text}>
    {text}
  </span>
)
