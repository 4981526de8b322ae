/**
 * What a problem says beyond its kind (the `detail` of a query error, of a value) in Russian: the one place that has these words.
 * A detail that stands here in no form stays English, with its names and values.
 *
 * Each pattern is of a whole detail; `$1` is translated in its turn.
 */
const DETAILS: readonly (readonly [pattern: RegExp, russian: string])[] = [
  // ── columns and paths ──
  [
    /^there is no column (\S+) in (\S+); did you mean (.+)\?$/,
    'в таблице $2 нет столбца $1; возможно, имелось в виду: $3',
  ],
  [/^there is no column (\S+) in (\S+)$/, 'в таблице $2 нет столбца $1'],
  [
    /^(\S+) in (\S+) is not a reference, so nothing can be walked to from it$/,
    'столбец $1 таблицы $2 — не ссылка, поэтому путь через него невозможен',
  ],
  [
    /^(\S+) in (\S+) is a list; a path leads through it in conditions only, on the left of an operator$/,
    'столбец $1 таблицы $2 — список; путь через него возможен только в условиях, слева от оператора',
  ],
  [/^a list of columns of (\S+) \((.+)\)$/, 'список столбцов таблицы $1 ($2)'],
  [/^the record would be its own ancestor$/, 'запись стала бы собственным предком'],
  // ── the query language ──
  [
    /^(.+) does not fit (\S+), a column of type (\S+); use one of (.+)$/,
    'оператор $1 не подходит столбцу $2 типа $3; допустимы: $4',
  ],
  [
    /^(\S+) is of type (\S+) and (\S+) of type (\S+); (\S+) compares fields of the same type$/,
    '$1 имеет тип $2, а $3 — тип $4; $5 сравнивает поля одного типа',
  ],
  [
    /^(\S+) compares two fields of one record; (\S+) leads through a list to several$/,
    '$1 сравнивает два поля одной записи, а путь $2 ведёт через список к нескольким',
  ],
  [
    /^(\S+) takes one or more members; ISEMPTY and ISNOTEMPTY ask whether there are any$/,
    '$1 требует хотя бы одного элемента; пустоту проверяют ISEMPTY и ISNOTEMPTY',
  ],
  [
    /^(\S+) takes me, mygroups or the sys_id of a dynamic option \((\S+)\)\.?$/,
    '$1 принимает me, mygroups или sys_id динамического варианта ($2)',
  ],
  [
    /^INSTANCEOF takes the name or sys_id of a table; there is no table (.+)\.$/,
    'INSTANCEOF принимает имя или sys_id таблицы; таблицы $1 нет',
  ],
  [
    /^INSTANCEOF asks for a class, so it stands after sys_db_table_id$/,
    'INSTANCEOF спрашивает о классе, поэтому стоит после sys_db_table_id',
  ],
  [
    /^Expected an operator after (\S+), found (.+)\. It may be (.+)\.$/,
    'после $1 ожидается оператор, получено: $2. Допустимы: $3',
  ],
  [
    /^Expected a condition \(a field name in lower-case letters, or an opening bracket\), found (.+)\.$/,
    'ожидается условие (имя поля строчными буквами или открывающая скобка), получено: $1',
  ],
  [/^Expected (.+), found (.+)\.$/, 'ожидается: $1; получено: $2'],
  [/^(\S+) takes no value, found (.+)\.$/, 'у оператора $1 нет значения, получено: $2'],
  [/^(\S+) cannot be used: (.+)\.$/, 'оператор $1 не поддерживается: $2'],
  [
    /^The query is (\d+) characters long; at most (\d+) are allowed\.$/,
    'длина запроса $1 символов; допустимо не более $2',
  ],
  [/^A query may have at most (\d+) conditions\.$/, 'в запросе может быть не более $1 условий'],
  [/^A query may have at most (\d+) orders\.$/, 'в запросе может быть не более $1 сортировок'],
  [/^A field may walk through at most (\d+) references\.$/, 'путь поля может вести не более чем через $1 ссылок'],
  [/^More than (\d+) brackets are open at once\.$/, 'открыто более $1 скобок сразу'],
  [/^An order stands outside all brackets\.$/, 'сортировка стоит вне скобок'],
  [/^the end of the query$/, 'конец запроса'],
  [/^\^, \^OR, \^NQ or the end of the query$/, '^, ^OR, ^NQ или конец запроса'],
  [/^the field to order by$/, 'поле сортировки'],
  [
    /^columns are not calculated by scripts here, so no value is ever "calculated"$/,
    'столбцы здесь не вычисляются скриптами',
  ],
  [
    /^conditions on related lists are not supported; .+$/,
    'условия на связанные списки не поддерживаются; спросите связанную таблицу через путь',
  ],
  [/^joins are not supported; .+$/, 'соединения не поддерживаются; другую таблицу читают путём через ссылку'],
  [
    /^it compares a record with its state before a change, .+$/,
    'он сравнивает запись с её состоянием до изменения, а запрос видит только сохранённые записи',
  ],
  // ── values ──
  [/^a whole number from (\S+) to (\S+)(?: is expected)?$/, 'целое число от $1 до $2'],
  [/^a whole number from (\S+) to (\S+) is expected, found (.+)$/, 'ожидается целое число от $1 до $2, получено: $3'],
  [/^a whole number$/, 'целое число'],
  [/^a decimal number$/, 'десятичное число'],
  [/^a number$/, 'число'],
  [/^true or false$/, 'true или false'],
  [/^a date and time$/, 'дата и время'],
  [/^a date$/, 'дата'],
  [/^a time of day$/, 'время суток'],
  [/^the sys_id of a record \(digits\)$/, 'sys_id записи (цифры)'],
  [/^a document id \(32 hexadecimal digits\)$/, 'идентификатор документа (32 шестнадцатеричные цифры)'],
  [/^a text is expected, found (.+)$/, 'ожидается текст, получено: $1'],
  [/^a number is expected, found (.+)$/, 'ожидается число, получено: $1'],
  [/^true or false is expected, found (.+)$/, 'ожидается true или false, получено: $1'],
  [/^an array is expected, found (.+)$/, 'ожидается массив, получено: $1'],
  [/^a text with a date or time is expected, found (.+)$/, 'ожидается текст с датой или временем, получено: $1'],
  [
    /^a number with at most two digits after the point is expected, found (.+)$/,
    'ожидается число не более чем с двумя знаками после точки, получено: $1',
  ],
  [/^(.+) is no choice; the choices are (.+)$/, '$1 — не вариант; варианты: $2'],
  [/^(.+) is expected, found (.+)$/, 'ожидается: $1; получено: $2'],
  [/^at most (\d+) characters fit, found (\d+)$/, 'помещается не более $1 символов, получено $2'],
  [/^at most (\d+) characters fit$/, 'помещается не более $1 символов'],
  [/^it is mandatory(?:; give it a value| and cannot be empty)$/, 'поле обязательно, укажите значение'],
  [/^it cannot be empty$/, 'значение не может быть пустым'],
  [/^it is read-only, the server fills it$/, 'столбец только для чтения, его заполняет сервер'],
  [/^only the stored value may be sent back$/, 'можно передать только хранимое значение'],
  [
    /^is read-only: only the value that stands there may be sent back$/,
    'столбец только для чтения: можно передать только хранимое значение',
  ],
  [/^there is no such record in (\S+)$/, 'в таблице $1 нет такой записи'],
  [/^there is no such record$/, 'такой записи нет'],
  [/^there is no such table or no such record in it$/, 'нет такой таблицы или записи в ней'],
  [
    /^find must meet exactly one record of (\S+); it met none or several$/,
    'find должен найти ровно одну запись таблицы $1; найдено ни одной или несколько',
  ],
  [/^unknown instruction (.+); this column takes (.+)$/, 'неизвестная инструкция $1; столбец принимает: $2'],
  [/^from (.+) the record goes to (.+)$/, 'из состояния $1 запись переходит в: $2'],
  [/^from (.+) the record goes nowhere$/, 'из состояния $1 запись никуда не переходит'],
  [
    /^the record cannot go to this state from the one that it is in$/,
    'из текущего состояния запись в это состояние не переходит',
  ],
  [/^(.+) is no choice where (\S+) is (.+)$/, '$1 — не вариант, когда $2 равно $3'],
  [
    /^the name of a time zone is expected, such as Europe\/Moscow or UTC; found (.+)$/,
    'ожидается имя часового пояса, например Europe/Moscow или UTC; получено: $1',
  ],
  [
    /^numbers up to (\d+) were given already, and none is given twice; at least (\d+) is expected$/,
    'номера до $1 уже выданы, а номер не выдаётся дважды; ожидается не меньше $2',
  ],
  // ── parameters and bodies ──
  [/^0, 1, true or false$/, '0, 1, true или false'],
  [/^0, 1, true, false or all$/, '0, 1, true, false или all'],
  [/^given without (\S+)$/, 'без $1'],
  [/^both$/, 'оба параметра'],
  [/^nothing$/, 'ничего'],
  [
    /^one JSON object of column names and values: one record per call$/,
    'один объект JSON с именами и значениями столбцов: одна запись за вызов',
  ],
  [/^a JSON object of column names and values$/, 'объект JSON с именами и значениями столбцов'],
  [/^a JSON object$/, 'объект JSON'],
  [/^no body$/, 'тела нет'],
  [/^an array of (\d+)$/, 'массив из $1'],
  [/^JSON, sent with (.+)$/, 'JSON с $1'],
  [/^form data \((.+)\)$/, 'данные формы ($1)'],
  // ── conflicts and limits ──
  [/^another table$/, 'другой таблицы'],
  [
    /^Records of (\S+) are written by the server alone; they can be read, not created, changed or deleted$/,
    'записи таблицы $1 пишет только сервер; их можно читать, но не создавать, изменять и удалять',
  ],
  [
    /^The database lets records of (\S+) be read, not written$/,
    'база данных позволяет читать записи таблицы $1, но не писать их',
  ],
  [
    /^it walks through (\d+) references, and one request may walk through (\d+); ask for fewer fields with dots$/,
    'путей через ссылки $1, а в одном запросе допустимо $2; уменьшите число полей с точками',
  ],
  [
    /^the database did not finish within the time that one request may take; .+$/,
    'база данных не уложилась во время одного запроса; сузьте запрос или отключите подсчёт: sysparm_no_count=1',
  ],
  [/^the database cannot be reached at the moment$/i, 'база данных сейчас недоступна'],
]

/** At most this deep: a detail holds a detail that holds a value. */
const MAX_DEPTH = 3

export function inRussian(detail: string, depth = 0): string {
  if (depth === MAX_DEPTH) return detail
  for (const [pattern, russian] of DETAILS) {
    const found = pattern.exec(detail)
    if (found !== null)
      return russian.replaceAll(/\$(\d)/g, (_all, index: string) => inRussian(found[Number(index)] ?? '', depth + 1))
  }
  return detail
}
