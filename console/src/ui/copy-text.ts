import { t } from '../messages/i18n.ts'
import { showToast } from './toast.tsx'

/**
 * Copies a text, and says so. Browsers offer `navigator.clipboard` over HTTPS and at a loopback address only; elsewhere, and where it
 * rejects the text, the text is copied as `Ctrl + C` does.
 */
export async function copyText(text: string, done = t('copy.done')): Promise<void> {
  const isCopied = (await writeToClipboard(text)) || copySelected(text)
  showToast(isCopied ? done : t('copy.failed'))
}

async function writeToClipboard(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard }
  if (clipboard === undefined) return false
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

/** Selects the text in the page, out of sight. It gets no focus: a dialog or a menu would take the focus back, and the selection with it. */
function copySelected(text: string): boolean {
  const selection = getSelection()
  if (selection === null) return false
  const before = Array.from({ length: selection.rangeCount }, (_, at) => selection.getRangeAt(at))
  const selected = document.createElement('span')
  selected.className = 'off-screen'
  selected.ariaHidden = 'true'
  selected.textContent = text
  document.body.append(selected)
  // What the browser makes of a selection has other line ends and spaces than the text.
  const copy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  addEventListener('copy', copy, true)
  try {
    selection.selectAllChildren(selected)
    return document.execCommand('copy')
  } finally {
    removeEventListener('copy', copy, true)
    selected.remove()
    selection.removeAllRanges()
    for (const range of before) selection.addRange(range)
  }
}
