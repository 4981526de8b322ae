import { Fragment, type ReactNode, Suspense, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { type FormPreference, usePreference } from '../preferences.ts'
import type { Column, Section, TableInfo } from '../table/table-info.ts'
import { Loading } from '../ui/loading.tsx'
import { lazyPart } from '../ui/part.tsx'
import { Field } from './field.tsx'
import css from './form.module.css'
import type { Texts } from './merge.ts'
import { PathFields } from './path-fields.tsx'
import type { RecordEdits } from './use-record.ts'

const columnsOf = (info: TableInfo, { columns }: Section): readonly Column[] =>
  columns.flatMap((name) => info.columns.get(name) ?? [])

/** The head of the form shows the number and the state, the activity shows the journals. */
const isOutsideSections = ({ name, type }: Column, { opened }: RecordEdits): boolean =>
  type === 'journal_input' || (opened !== null && (name === 'number' || name === 'state'))

/** Columns of the section that the form displays. */
const displayedColumns = (info: TableInfo, section: Section, edits: RecordEdits): readonly Column[] =>
  columnsOf(info, section).filter((column) => !isOutsideSections(column, edits))

/** Paths through references of the section. A new record refers to nothing yet. */
const pathsOf = ({ columns }: Section, { opened }: RecordEdits): readonly string[] =>
  opened === null ? [] : columns.filter((name) => name.includes('.'))

export const isBlank = (info: TableInfo, section: Section, edits: RecordEdits): boolean =>
  displayedColumns(info, section, edits).length + pathsOf(section, edits).length === 0

interface FormSectionProps {
  readonly info: TableInfo
  readonly section: Section
  readonly edits: RecordEdits
  readonly mayWrite: (column: Column) => boolean
  /** Displayed below the field of the subject. */
  readonly belowSubject?: ReactNode
  /** Of element ids; a dialog over the form has its own. */
  readonly idPrefix?: string
}

export function FormSection(props: FormSectionProps) {
  const { info, section, edits } = props
  if (isBlank(info, section, edits)) return null
  return (
    <section className={css.section} aria-label={section.title}>
      <h2>{section.title}</h2>
      <SectionFields {...props} />
    </section>
  )
}

export function SectionFields({ info, section, edits, mayWrite, belowSubject, idPrefix }: FormSectionProps) {
  const textIn = (name: string): string => edits.edits[name] ?? edits.openedTexts[name] ?? ''
  const { opened } = edits
  const paths = pathsOf(section, edits)
  return (
    <div className={css.fields}>
      {displayedColumns(info, section, edits).map((column) => (
        <Fragment key={column.name}>
          <Field
            {...(idPrefix === undefined ? {} : { idPrefix })}
            column={column}
            cell={edits.opened?.row[column.name]}
            text={textIn(column.name)}
            isEdited={column.name in edits.edits}
            canWrite={mayWrite(column)}
            error={edits.fieldErrors[column.name]}
            parentText={column.dependentOn === null ? '' : textIn(column.dependentOn)}
            onChange={(text) => edits.edit(column.name, text)}
          />
          {column.name === 'subject' && belowSubject}
        </Fragment>
      ))}
      {opened !== null && paths.length > 0 && (
        <PathFields info={info} sysId={String(opened.row['sys_id']?.value)} etag={opened.etag} paths={paths} />
      )}
    </div>
  )
}

export interface SectionsProps extends Omit<FormSectionProps, 'section'> {
  readonly sections: readonly Section[]
}

const SectionTabs = lazyPart(async () => (await import('./section-tabs.tsx')).SectionTabs)

/** Sections below each other with headings; as tabs if the user prefers. */
export function FormSections(props: SectionsProps) {
  const { value } = usePreference<FormPreference>('form')
  if (value?.tabs !== true || props.sections.length < 2) {
    return props.sections.map((section) => <FormSection key={section.title} {...props} section={section} />)
  }
  return (
    <Suspense fallback={<Loading lines={8} />}>
      <SectionTabs {...props} />
    </Suspense>
  )
}

/**
 * The sections without fields in which there is nothing to read and nothing to fill in: on a phone they would fill the screen. They are with
 * all fields.
 */
export const withoutBlanks = (
  info: TableInfo,
  sections: readonly Section[],
  { edits, mayWrite }: Pick<FormSectionProps, 'edits' | 'mayWrite'>,
): readonly Section[] =>
  sections.map((section) => ({
    title: section.title,
    columns: section.columns.filter((name) => {
      const column = info.columns.get(name)
      if (column === undefined) return name.includes('.')
      return isOutsideSections(column, edits) || mayWrite(column) || (edits.openedTexts[name] ?? '') !== ''
    }),
  }))

/**
 * What a caller needs to ask for help: the subject, the description, and what is mandatory. The rest is with all fields. Sections without any of
 * them stay as they are.
 */
export function firstOf(info: TableInfo, sections: readonly Section[]): readonly Section[] {
  const columns = sections
    .flatMap((section) => columnsOf(info, section))
    .filter(({ name, isMandatory }) => isMandatory || name === 'subject' || name === 'description')
    .map(({ name }) => name)
  return columns.includes('subject') ? [{ title: sections[0]?.title ?? '', columns }] : sections
}

interface AllFieldsProps {
  readonly info: TableInfo
  /** Columns from which those of the sections are left out; default: all of the table. */
  readonly available?: readonly string[]
  /** Columns that the address fills in. The user sees them before they are saved. */
  readonly prefilled?: readonly string[]
  /** What a new record begins with. */
  readonly preset?: Texts
  readonly sections: readonly Section[]
  readonly edits: RecordEdits
  readonly mayWrite: (column: Column) => boolean
}

/** Columns that are not in the sections. */
export function AllFields(props: AllFieldsProps) {
  const { info, available = [...info.columns.keys()], prefilled = [], preset = {}, sections, edits, mayWrite } = props
  const named = new Set(sections.flatMap(({ columns }) => columns))
  const columns = displayedColumns(info, { title: '', columns: available }, edits)
    // A new record can be given values that nobody may read afterwards.
    .filter((column) => !named.has(column.name) && (edits.opened === null || column.rights.read !== 'never'))
    .map(({ name }) => name)
  // What was typed before a reload is in view again.
  const isTyped = (name: string): boolean => name in edits.edits && edits.edits[name] !== preset[name]
  const [wasOpened, setOpen] = useState(() => columns.some((name) => prefilled.includes(name) || isTyped(name)))
  if (columns.length === 0) return null
  const isOpen = wasOpened || columns.some((name) => name in edits.fieldErrors)
  return (
    <details className={css.allFields} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('form.allFields', { count: columns.length })}</summary>
      {isOpen && (
        <FormSection
          info={info}
          section={{ title: t('form.otherFields'), columns }}
          edits={edits}
          mayWrite={mayWrite}
        />
      )}
    </details>
  )
}
