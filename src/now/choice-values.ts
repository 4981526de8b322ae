/**
 * Displayed values of choices that differ from the stored ones, by column and table in Docket. They apply to rows of the table
 * and its descendants. Other values are displayed as stored.
 */
export interface ChoiceValue {
  readonly value: string
  /** The value stored on a write. */
  readonly stored: string
  /** Stored values that are also displayed as it. */
  readonly alsoReads?: readonly string[]
  readonly en: string
  readonly ru: string
}

export type ChoicesByTable = Readonly<Record<string, readonly ChoiceValue[]>>

export const CHOICES: Readonly<Record<string, ChoicesByTable>> = {
  state: {
    task: [
      { value: '-5', stored: '4', alsoReads: ['3', '5'], en: 'Pending', ru: 'Ожидание' },
      { value: '1', stored: '0', en: 'Open', ru: 'Открыта' },
      { value: '2', stored: '2', alsoReads: ['1', '6'], en: 'Work in Progress', ru: 'В работе' },
      { value: '3', stored: '10', alsoReads: ['7'], en: 'Closed Complete', ru: 'Закрыта, выполнена' },
      { value: '4', stored: '8', en: 'Closed Incomplete', ru: 'Закрыта, не выполнена' },
    ],
    itsm_incident: [
      { value: '1', stored: '0', en: 'New', ru: 'Новый' },
      { value: '2', stored: '2', alsoReads: ['1', '6'], en: 'In Progress', ru: 'В работе' },
      { value: '3', stored: '4', alsoReads: ['3', '5'], en: 'On Hold', ru: 'Приостановлен' },
      { value: '6', stored: '7', en: 'Resolved', ru: 'Решён' },
      { value: '7', stored: '10', en: 'Closed', ru: 'Закрыт' },
      { value: '8', stored: '8', en: 'Canceled', ru: 'Отменён' },
    ],
    itsm_problem: [
      { value: '101', stored: '0', en: 'New', ru: 'Новая' },
      { value: '102', stored: '1', en: 'Assess', ru: 'Оценка' },
      { value: '103', stored: '2', alsoReads: ['3', '4'], en: 'Root Cause Analysis', ru: 'Поиск причины' },
      { value: '104', stored: '5', alsoReads: ['6'], en: 'Fix in Progress', ru: 'Исправление' },
      { value: '106', stored: '7', en: 'Resolved', ru: 'Решена' },
      { value: '107', stored: '10', alsoReads: ['8'], en: 'Closed', ru: 'Закрыта' },
    ],
    itsm_change_request: [
      { value: '-5', stored: '0', en: 'New', ru: 'Новый' },
      { value: '-4', stored: '1', en: 'Assess', ru: 'Оценка' },
      { value: '-3', stored: '3', en: 'Authorize', ru: 'Согласование' },
      { value: '-2', stored: '4', en: 'Scheduled', ru: 'Запланирован' },
      { value: '-1', stored: '2', alsoReads: ['5'], en: 'Implement', ru: 'Выполнение' },
      { value: '0', stored: '7', alsoReads: ['6'], en: 'Review', ru: 'Проверка' },
      { value: '3', stored: '10', en: 'Closed', ru: 'Закрыт' },
      { value: '4', stored: '8', en: 'Canceled', ru: 'Отменён' },
    ],
  },
  approval_state: {
    task: [
      { value: 'not requested', stored: 'not_requested', en: 'Not Yet Requested', ru: 'Не запрошено' },
      { value: 'requested', stored: 'requested', en: 'Requested', ru: 'Запрошено' },
      { value: 'approved', stored: 'approved', en: 'Approved', ru: 'Согласовано' },
      { value: 'rejected', stored: 'rejected', en: 'Rejected', ru: 'Отклонено' },
      { value: 'cancelled', stored: 'canceled', en: 'Cancelled', ru: 'Отменено' },
    ],
  },
}

/** An incident on hold is stored by its reason; if that is empty, its state determines the reason. */
export const ON_HOLD = {
  table: 'itsm_incident',
  displayed: '3',
  column: 'hold_reason',
  stored: { 1: '3', 4: '5' },
  reasons: { 3: '1', 5: '4' },
} as const

/** The table with the column of the choices. */
export const CHOICES_OF = 'task'
