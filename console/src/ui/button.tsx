import type { ButtonHTMLAttributes } from 'react'
import css from './ui.module.css'

type Look = 'plain' | 'primary' | 'quiet' | 'danger'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly isIcon?: boolean
}

export function Button({ look = 'plain', isIcon = false, className, ...rest }: ButtonProps) {
  return <button type="button" className={classes(css.button, css[look], isIcon && css.icon, className)} {...rest} />
}

export const classes = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter((name) => typeof name === 'string' && name !== '').join(' ')
