/** What the user types after a key that opens a field, until the field is there: its script may still be loading. */
interface Held {
  text: string
  /** Nothing typed after Enter belongs to the field. */
  hasEnter: boolean
  readonly onEscape: () => void
}

const fields = 'input:not([type]), input[type=text], input[type=search], textarea'
const controls = 'input, select, button, a, [contenteditable=true]'
/** Keys that would act on the page. Function keys and those with Ctrl keep their meaning. */
const ofThePage = /^(.|Enter|Backspace|Delete|Tab|Home|End|F2|Arrow\w+|Page\w+)$/u

let held: Held | null = null

/**
 * Keeps what is typed from the page, where a letter can be a shortcut or land in another field. The next field that takes the focus gets
 * it. Escape, a click, and the focus of another control end the wait.
 *
 * @param onEscape closes what was going to have the field
 */
export function holdKeys(onEscape: () => void): void {
  releaseKeys()
  held = { text: '', hasEnter: false, onEscape }
  addEventListener('keydown', onKey, true)
  addEventListener('paste', onPaste, true)
  addEventListener('pointerdown', releaseKeys, true)
  addEventListener('focusin', onFocus, true)
}

/** As `holdKeys`; what was typed since an earlier call goes into the same field. */
export function holdForNext(onEscape: () => void): void {
  if (held === null) holdKeys(onEscape)
  else held = { ...held, onEscape }
}

/** No field takes the keys: what would have had it is closed, or cannot be loaded. */
export function releaseKeys(): void {
  held = null
  removeEventListener('keydown', onKey, true)
  removeEventListener('paste', onPaste, true)
  removeEventListener('pointerdown', releaseKeys, true)
  removeEventListener('focusin', onFocus, true)
}

function onKey(event: KeyboardEvent): void {
  if (held === null) return
  if (event.key === 'Escape') {
    const { onEscape } = held
    keepFromPage(event)
    releaseKeys()
    onEscape()
  } else if (!isWithModifier(event) && ofThePage.test(event.key)) {
    keepFromPage(event)
    collect(held, event.key)
  }
}

/** AltGr types letters, and some keyboards report it as Ctrl and Alt. */
const isWithModifier = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')

function keepFromPage(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

function collect(into: Held, key: string): void {
  if (into.hasEnter) return
  if (key === 'Enter') into.hasEnter = true
  else if (key === 'Backspace') into.text = [...into.text].slice(0, -1).join('')
  else if ([...key].length === 1) into.text += key
}

function onPaste(event: ClipboardEvent): void {
  if (held === null) return
  keepFromPage(event)
  if (!held.hasEnter) held.text += event.clipboardData?.getData('text') ?? ''
}

function onFocus({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return
  const isField = target.matches(fields)
  // A dialog or a cell has the focus itself until its field is there.
  if (!isField && !target.matches(controls)) return
  // React is still adding the field.
  queueMicrotask(() => {
    const given = held
    releaseKeys()
    if (given !== null && isField) hand(given, target as HTMLInputElement)
  })
}

function hand({ text, hasEnter }: Held, field: HTMLInputElement): void {
  if (text !== '') {
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }))
  }
  // After the field has been rendered with the text.
  if (hasEnter)
    requestAnimationFrame(() => {
      const enter = new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true })
      // Only a key of the keyboard itself submits a form. In a text of several lines it does not.
      if (field.dispatchEvent(enter) && field.matches('input'))
        field.form?.querySelector<HTMLElement>('[type=submit]:enabled')?.click()
    })
}
