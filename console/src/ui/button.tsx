import { type ButtonHTMLAttributes, type Ref, useState } from 'react'
import css from './ui.module.css'

type Look = 'plain' | 'primary' | 'quiet' | 'danger'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly isIcon?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

/**
 * A button that is disabled while it has the focus keeps the focus: the browser would drop it. While a dialog has the focus instead, the button can
 * get it back.
 */
export function Button({ look = 'plain', isIcon = false, disabled = false, className, ...rest }: ButtonProps) {
  const [hasFocus, setFocus] = useState(false)
  const isWaiting = disabled && hasFocus
  return (
    <button
      type="button"
      className={classes(css.button, css[look], isIcon && css.icon, className)}
      {...rest}
      disabled={disabled && !hasFocus}
      aria-disabled={isWaiting || rest['aria-disabled']}
      onClick={(event) => {
        if (isWaiting) event.preventDefault()
        else rest.onClick?.(event)
      }}
      onFocus={(event) => {
        setFocus(true)
        rest.onFocus?.(event)
      }}
      onBlur={(event) => {
        setFocus(isOpener(event.currentTarget, event.relatedTarget))
        rest.onBlur?.(event)
      }}
    />
  )
}

/** Whether the focus has moved from the button into a dialog over it. */
function isOpener(button: Element, target: Element | null): boolean {
  const dialog = target?.closest('[role=dialog], [role=alertdialog]')
  return dialog != null && !dialog.contains(button)
}

export const classes = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter((name) => typeof name === 'string' && name !== '').join(' ')
