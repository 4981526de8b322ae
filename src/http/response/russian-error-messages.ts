import type { Action, Problem, ProblemKind, ProblemOf } from '../../kernel/problem.ts'
import { parameterName } from './parameter-name.ts'
import { inRussian } from './russian-error-details.ts'
import { timeToWait } from './time-to-wait.ts'

/** The Russian sentence of each problem; its English one, its status and its code are in error-messages.ts. */
type RussianWordings = { readonly [K in ProblemKind]: (problem: ProblemOf<K>) => string }

export const RUSSIAN_WORDINGS: RussianWordings = {
  'bad-json': ({ detail, position, field }) =>
    `${field === undefined ? 'Тело запроса' : `Поле ${field} формы`} — не JSON: ${inRussian(detail)}${position === undefined ? '' : ` (позиция ${position})`}.`,
  'bad-body': ({ expected, found }) =>
    `Неверное тело запроса. Ожидается: ${inRussian(expected)}. Получено: ${inRussian(found)}.`,
  'bad-parameter': ({ parameter, expected, found }) =>
    `Неверное значение параметра ${displayed(parameterName(parameter))}. Ожидается: ${inRussian(expected)}. Получено: ${inRussian(displayed(found))}.`,
  'unknown-parameter': ({ parameter, similar, known }) =>
    `Параметра ${displayed(parameter)} здесь нет.${
      similar.length > 0
        ? ` Возможно, имелось в виду: ${similar.join(', ')}.`
        : known.length > 0
          ? ` Допустимы: ${known.join(', ')}.`
          : ''
    }`,
  'bad-query': ({ detail, position, field = '' }) =>
    position < 0
      ? `Ошибка в параметре ${displayed(field)}: ${sentence(inRussian(detail))}`
      : `Ошибка в запросе, позиция ${position}: ${sentence(inRussian(detail))}`,
  'malformed-request': ({ detail }) => `Сервер не может прочитать этот HTTP-запрос: ${inRussian(detail)}.`,
  'request-timeout': ({ afterSeconds }) => `Запрос не пришёл целиком за ${afterSeconds} с.`,
  'uri-too-long': ({ maxBytes }) =>
    `Адрес длиннее ${maxBytes} байт. Передайте параметры в JSON: POST /rest/v1/table/{table}/query.`,
  'headers-too-large': ({ maxBytes }) =>
    `Адрес и заголовки вместе больше ${maxBytes} байт. Передайте длинные параметры в JSON: POST /rest/v1/table/{table}/query.`,
  'body-too-large': ({ maxBytes }) => `Тело запроса больше ${maxBytes} байт.`,
  'unsupported-media-type': ({ found, expected }) =>
    `Неверный тип тела запроса. Ожидается: ${inRussian(expected)}. Получено: ${inRussian(displayed(found))}.`,
  'not-acceptable': ({ found, offered }) =>
    `Ответ имеет тип ${offered}, а заголовок Accept его не допускает: ${displayed(found)}.`,
  'no-such-path': ({ path }) => `По адресу ${displayed(path)} ничего нет. Все адреса перечислены в GET /openapi.json.`,
  'method-not-allowed': ({ method, allowed }) =>
    `Метод ${method} здесь не поддерживается. Допустимы: ${allowed.join(', ')}.`,
  unauthenticated: ({ reason }) => UNAUTHENTICATED[reason],
  'too-many-attempts': ({ retryAfterSeconds }) =>
    `Слишком много неудачных попыток входа. Повторите через ${waitingTime(retryAfterSeconds)}.`,
  'too-many-requests': ({ retryAfterSeconds }) =>
    `Слишком много запросов. Повторите через ${waitingTime(retryAfterSeconds)}.`,
  'table-denied': ({ action, table }) => `Нет доступа: ${ACTIONS[action]} записей таблицы ${displayed(table)}.`,
  'column-denied': ({ action, table, column, where }) =>
    `Нет доступа: ${ACTIONS[action]} столбца ${displayed(column)} таблицы ${displayed(table)}${NAMED_IN[where]}.`,
  'record-denied': ({ action, table }) => `Нет доступа: ${ACTIONS[action]} этой записи таблицы ${displayed(table)}.`,
  'write-denied': ({ detail }) => `Запись запрещена: ${sentence(inRussian(detail))}`,
  'role-needed': ({ roles, to }) => `Для этого действия нужна роль ${roles.join(' или ')}: ${inRussian(to)}.`,
  'cross-site-write': () =>
    'Страница другого источника не может изменять данные с учётными данными Basic, которые запомнил браузер. ' +
    'Используйте ключ доступа или попросите администратора добавить источник в DOCKET_ALLOWED_ORIGINS.',
  'not-own-page': () =>
    'Сеанс браузера действует для страниц этого сервера: запросам на запись нужны его Origin и заголовок X-Docket-Console. ' +
    'За прокси собственный адрес задаёт DOCKET_BASE_URL.',
  'key-narrowed': ({ to }) =>
    `Ограниченный ключ API этого не может: ${inRussian(to)}. ` +
    'Используйте пароль, сеанс или ключ со всеми ролями пользователя и сроком не менее 90 дней.',
  'client-token': ({ to }) =>
    `Токен клиента OAuth этого не может: ${inRussian(to)}. Результат пережил бы клиента. Используйте пароль, сеанс или ключ API.`,
  'table-not-found': ({ table, similar }) =>
    `Таблицы ${displayed(table)} нет.${similar.length === 0 ? '' : ` Возможно, имелось в виду: ${similar.join(', ')}.`}`,
  'record-not-found': ({ table, sysId }) =>
    `В таблице ${displayed(table)} нет доступной вам записи ${displayed(sysId)}.`,
  'thing-not-found': ({ thing, name }) => `Не найдено (${THINGS[thing] ?? thing}): ${displayed(name)}.`,
  'not-unique': ({ table, field }) =>
    `Значение ${displayed(field)} должно быть уникальным, а в таблице ${displayed(table)} уже есть запись с таким значением.`,
  'still-referenced': ({ by, denied }) =>
    `Запись нельзя удалить: на неё ссылаются записи таблицы ${inRussian(displayed(by))}${denied === undefined ? '' : `, и не все из них вы можете ${denied === 'delete' ? 'удалить' : 'изменить'}`}.`,
  'too-many-dependents': ({ max }) =>
    `Запись нельзя удалить сразу: пришлось бы изменить или удалить больше ${max} записей, которые на неё ссылаются. Сначала измените или удалите часть из них.`,
  'would-lose': ({ losses }) =>
    `Ничего не изменено, потому что были бы потеряны данные: ${losses.map(({ name, what, count }) => `${name} — ${THINGS[what] ?? inRussian(what)}: ${count}`).join('; ')}. ` +
    `Чтобы согласиться с потерей, повторите запрос с sysparm_confirm=${losses.map(({ name }) => name).join(',')}.`,
  'precondition-failed': () => 'Файл не тот, который назван в If-Match.',
  'unsatisfiable-range': ({ size }) => `Диапазон лежит за концом файла; его размер ${size} байт.`,
  stale: ({ sysId }) =>
    `Запись ${displayed(sysId)} изменилась после чтения: If-Match не совпадает. Прочитайте её снова.`,
  conflict: ({ detail }) => `Запрос противоречит текущему состоянию: ${sentence(inRussian(detail))}`,
  'count-differs': ({ found, expected }) =>
    `Запрос находит записей: ${found}, а expected_count — ${expected}. Ничего не записано.`,
  'too-many-records': ({ max }) =>
    `Запрос находит больше ${max} записей — столько изменяет один запрос (свойство rest.bulk.max). Ничего не записано; уточните условие.`,
  'invalid-value': ({ field, detail }) => `Недопустимое значение ${displayed(field)}: ${sentence(inRussian(detail))}`,
  'unreadable-document': ({ detail, cause, stage }) =>
    `Из документа не удалось извлечь текст: ${inRussian(detail)} (${cause}, этап ${stage}).`,
  'over-budget': ({ detail }) => `Запрос прерван, потому что требует слишком много ресурсов: ${inRussian(detail)}.`,
  'index-building': ({ percent, retryAfterSeconds }) =>
    `Поисковый индекс этого сервера строится, готово ${percent} %. Повторите через ${waitingTime(retryAfterSeconds)}.`,
  unavailable: ({ detail }) => `Сейчас выполнить запрос нельзя: ${sentence(inRussian(detail))}`,
}

/** @returns the sentence for people; names and values in it are not translated */
export function russianMessageOf(problem: Problem): string {
  return (RUSSIAN_WORDINGS[problem.kind] as (problem: Problem) => string)(problem)
}

export const RUSSIAN_INTERNAL = 'Ошибка сервера. Причина записана в журнале под номером запроса из этого ответа.'

const ACTIONS: { readonly [A in Action]: string } = {
  create: 'создание',
  read: 'чтение',
  write: 'изменение',
  delete: 'удаление',
}

/** Words that are also names of tables: they are translated only where they mean the thing. */
const THINGS: Readonly<Record<string, string>> = {
  user: 'пользователь',
  'active user': 'действующий пользователь',
  role: 'роль',
  session: 'сеанс',
  'API key': 'ключ API',
  collection: 'коллекция',
  'followed collection': 'коллекция, которая следует за таблицей',
  document: 'документ',
  values: 'значения',
  records: 'записи',
}

const NAMED_IN: { readonly [W in ProblemOf<'column-denied'>['where']]: string } = {
  query: ' (столбец назван в запросе)',
  order: ' (столбец назван в сортировке)',
  fields: ' (столбец назван в списке полей)',
  body: '',
}

const UNAUTHENTICATED: { readonly [R in ProblemOf<'unauthenticated'>['reason']]: string } = {
  missing:
    'Нужны учётные данные: заголовок Authorization с Bearer <ключ доступа> или Basic, либо X-API-Key. ' +
    'Ключ доступа даёт POST /v1/auth/login.',
  wrong: 'Неверные учётные данные.',
  expired: 'Ключ доступа истёк или отозван. Новый даёт POST /v1/auth/login.',
  malformed:
    'Учётные данные не читаются. Передайте Authorization: Bearer <ключ доступа> или Authorization: Basic <base64>.',
  'other-user':
    'Сеанс этого браузера принадлежит другому пользователю, чем указано в заголовке X-Docket-User. Войдите снова.',
}

function waitingTime(seconds: number): string {
  const { count, unit } = timeToWait(seconds)
  return `${count} ${unit === 'second' ? 'с' : 'мин'}`
}

const longestEcho = 200
const displayed = (text: string): string => (text.length <= longestEcho ? text : `${text.slice(0, longestEcho)}…`)
const sentence = (detail: string): string => (/[.?]$/.test(detail) ? detail : `${detail}.`)
