import { useNavigate, useSearch } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { t } from '../messages/i18n.ts'
import type { Section } from '../table/table-info.ts'
import { isBlank, SectionFields, type SectionsProps } from './form-section.tsx'
import css from './section-tabs.module.css'

/** Sections as tabs. The address names a column of the open tab: titles differ between languages. */
export function SectionTabs(props: SectionsProps) {
  const { info, edits } = props
  const sections = props.sections.filter((section) => !isBlank(info, section, edits))
  const { at, open } = useOpenTab(sections)
  useErrorsInOtherTabs(sections, edits.fieldErrors, { at, open })
  return (
    <div className={css.tabs}>
      <div role="tablist" aria-label={t('tabs.list')} className={css.list} onKeyDown={(event) => moveBy(event, open)}>
        {sections.map(({ title, columns }, index) => (
          <button
            key={title}
            id={`tab-${index}`}
            type="button"
            role="tab"
            className={css.tab}
            aria-selected={index === at}
            aria-controls={`tab-${index}-fields`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => open(index)}
          >
            {title}
            <TabMarks
              isEdited={columns.some((name) => name in edits.edits && edits.opened !== null)}
              errors={columns.filter((name) => name in edits.fieldErrors).length}
            />
          </button>
        ))}
      </div>
      {sections.map((section, index) => (
        <div
          key={section.title}
          id={`tab-${index}-fields`}
          role="tabpanel"
          aria-labelledby={`tab-${index}`}
          className={css.panel}
          hidden={index !== at}
        >
          <SectionFields {...props} section={section} />
        </div>
      ))}
    </div>
  )
}

interface OpenTab {
  readonly at: number
  readonly open: (index: number) => void
}

function useOpenTab(sections: readonly Section[]): OpenTab {
  const search = useSearch({ from: '/t/$table/$sysId' })
  const navigate = useNavigate({ from: '/t/$table/$sysId' })
  const named = sections.findIndex(({ columns }) => search.tab !== undefined && columns.includes(search.tab))
  const open = (index: number): void => {
    const tab = sections[index]?.columns[0]
    void navigate({ search: { ...search, tab }, replace: true, resetScroll: false })
  }
  return { at: Math.max(named, 0), open }
}

/** An error that no field of the open tab has leads to its tab and field. */
function useErrorsInOtherTabs(
  sections: readonly Section[],
  fieldErrors: Readonly<Record<string, string>>,
  { at, open }: OpenTab,
): void {
  const wanted = useRef<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new errors lead to another tab
  useEffect(() => {
    const first = sections.findIndex(({ columns }) => columns.some((name) => name in fieldErrors))
    if (first === -1 || sections[at]?.columns.some((name) => name in fieldErrors) === true) return
    wanted.current = sections[first]?.columns.find((name) => name in fieldErrors) ?? null
    open(first)
  }, [fieldErrors])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field can have the focus when its tab is open
  useEffect(() => {
    if (wanted.current !== null) document.getElementById(`field-${wanted.current}`)?.focus()
    wanted.current = null
  }, [at])
}

function moveBy(event: KeyboardEvent<HTMLElement>, open: (index: number) => void): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
  const at = tabs.indexOf(document.activeElement as HTMLElement)
  const step = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
  if (at === -1 || step === undefined) return
  event.preventDefault()
  const to = (step + tabs.length) % tabs.length
  tabs[to]?.focus()
  open(to)
}

function TabMarks({ isEdited, errors }: { readonly isEdited: boolean; readonly errors: number }) {
  return (
    <>
      {isEdited && <span className={css.edited} role="img" aria-label={t('tabs.edited')} />}
      {errors > 0 && (
        <span className={css.errors}>
          <span aria-hidden="true">{errors}</span>
          <span className="off-screen">{t('tabs.errors', { count: errors })}</span>
        </span>
      )}
    </>
  )
}
