import { useEffect } from 'react'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLElement

/** Parts of the page that know by themselves that something is not saved. */
const parts = new Set<object>()
/** Fields that have had the focus, with what was in them before. */
const before = new Map<Field, string>()

/** What was typed into a search field can be typed again. */
const isInput = (target: EventTarget | null): target is Field =>
  target instanceof HTMLElement && target.matches('input:not([type=search]), textarea, select, [contenteditable=true]')

function contentOf(field: Field): string {
  if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) return String(field.checked)
  return 'value' in field ? String(field.value) : (field.textContent ?? '')
}

function remember(target: EventTarget | null): void {
  for (const field of before.keys()) if (!field.isConnected) before.delete(field)
  if (isInput(target) && !before.has(target)) before.set(target, contentOf(target))
}

/** Called once, before the page has fields. */
export function followInput(): void {
  addEventListener('focusin', ({ target }) => remember(target))
  addEventListener('beforeunload', (event) => {
    if (!isLeaving && [...losses.keys()].some((wouldLose) => wouldLose())) event.preventDefault()
  })
}

/** Whether something would be lost with the tab, also where the part of the page that it belongs to has been left; and whether a reload keeps it. */
const losses = new Map<() => boolean, boolean>()

/**
 * The browser asks before the tab is closed while this is true, and an update of the server does not reload the page.
 *
 * @param isInTab the storage of the tab has it: a reload keeps it
 */
export const confirmClosing = (wouldLose: () => boolean, isInTab = false): unknown => losses.set(wouldLose, isInTab)

/** What is in the fields now is saved. */
export function forgetInput(): void {
  before.clear()
  remember(document.activeElement)
}

/** Whether a reload would lose what the user has typed or chosen, or take it out of sight. */
export const hasUnsavedInput = (): boolean =>
  parts.size > 0 ||
  [...before].some(([field, content]) => field.isConnected && contentOf(field) !== content) ||
  [...losses].some(([wouldLose, isInTab]) => !isInTab && wouldLose())

/** For parts whose values are not in fields of their own. */
export function useUnsavedPart(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined
    const part = {}
    parts.add(part)
    return () => void parts.delete(part)
  }, [isUnsaved])
}

let isLeaving = false

/** The page is left whatever is typed in it: nothing asks the user. */
export function leavePage(leave: () => void): void {
  isLeaving = true
  leave()
}

export const isLeavingPage = (): boolean => isLeaving

/** Called before something ends that the page cannot come back from, with what to do if the user is sure; null: nothing would be lost. */
let question: ((leave: () => void) => void) | null = null

export function confirmLeaving(toConfirm: typeof question): void {
  question = toConfirm
}

export const leaveIfSure = (leave: () => void): void => (question === null ? leave() : question(leave))
