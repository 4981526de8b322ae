/** Form fields and notes on a page, as the PDF library returns them. */
export interface PdfAnnotation {
  readonly subtype?: string
  readonly fieldType?: string
  readonly fieldName?: string
  readonly alternativeText?: string
  readonly fieldValue?: unknown
  readonly exportValue?: unknown
  readonly options?: readonly { readonly exportValue?: unknown; readonly displayValue?: unknown }[]
  readonly checkBox?: boolean
  readonly radioButton?: boolean
  readonly buttonValue?: unknown
  readonly pushButton?: boolean
  readonly hidden?: boolean
  readonly password?: boolean
  readonly contentsObj?: { readonly str?: string }
}

/** A line for each filled field of a form (`Name: value`) and the text of each note on the page. */
export function annotationLines(annotations: readonly PdfAnnotation[]): readonly string[] {
  return annotations.flatMap((annotation) => {
    if (annotation.hidden === true) return []
    if (annotation.subtype === 'Widget') return fieldLine(annotation)
    if (annotation.subtype !== 'FreeText' && annotation.subtype !== 'Text') return []
    const text = annotation.contentsObj?.str?.trim() ?? ''
    return text === '' ? [] : [annotation.subtype === 'Text' ? `Comment: ${text}` : text]
  })
}

function fieldLine(annotation: PdfAnnotation): readonly string[] {
  const value = filledValue(annotation)
  const name = (annotation.alternativeText || annotation.fieldName || '').trim()
  if (value === '') return []
  return [name === '' ? value : `${name}: ${value}`]
}

function filledValue(annotation: PdfAnnotation): string {
  const { fieldType, fieldValue, options = [], password, pushButton } = annotation
  if (password === true || pushButton === true || fieldType === 'Sig') return ''
  if (fieldType === 'Btn') return isChosen(annotation) ? 'X' : ''
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue]
  return values
    .filter((value) => typeof value === 'string' && value.trim() !== '')
    .map((value) => String(options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value).trim())
    .join(', ')
}

function isChosen({ checkBox, radioButton, exportValue, buttonValue, fieldValue }: PdfAnnotation): boolean {
  if (typeof fieldValue !== 'string' || fieldValue === 'Off' || fieldValue === '') return false
  if (checkBox === true) return exportValue === undefined || fieldValue === exportValue
  return radioButton === true && fieldValue === buttonValue
}
