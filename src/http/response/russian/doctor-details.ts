import type { DetailPair } from './detail-pair.ts'

/** What docket doctor finds and what explains access rules, in English and in Russian; `$1` is a part of both. */
export const DOCTOR_DETAILS: readonly DetailPair[] = [
  // ── which rule decides ──
  [
    'No active rule for $1 stands at $2; access without a rule is denied.',
    'Для операции $1 нет действующего правила на уровнях $2; без правила доступа нет.',
  ],
  [
    'The level $1 decides $2 on $3: $4. Of these, $5 and $6. One passing rule is enough.',
    'Об операции $2 ($3) решают правила уровня $1: $4, из них $5, $6. Достаточно одного правила, которое выполняется.',
  ],
  ['the table $1', 'таблица $1'],
  ['the column $1', 'столбец $1'],
  ['$1 active rule', '$1 действующее правило'],
  ['$1 active rules', 'действующих правил $1'],
  ['$1 passes without a condition', 'без условий выполняется $1'],
  ['$1 pass without a condition', 'без условий выполняется $1'],
  ['$1 passes on a condition', 'при условии выполняется $1'],
  ['$1 pass on a condition', 'при условии выполняется $1'],
  // ── the order of the checks ──
  ['the settings cannot be used', 'настройки использовать нельзя'],
  [
    'correct these variables; docs/settings.md lists them all',
    'исправьте эти переменные; все они перечислены в docs/settings.md',
  ],
  ['there is no database yet: the first start creates it', 'базы данных ещё нет: её создаст первый запуск'],
  [
    'the embedded PostgreSQL is not running; put the data directory right first',
    'встроенный PostgreSQL не запущен; сначала исправьте папку данных',
  ],
  ['the database is not reached', 'база данных недоступна'],
  ['the first start fills the database', 'базу данных заполнит первый запуск'],
  ['put the database right first', 'сначала исправьте базу данных'],
  ['The check could not be finished ($1)', 'Проверку не удалось закончить ($1)'],
  [
    'put right what it names, and run docket doctor again',
    'исправьте то, что названо, и снова выполните docket doctor',
  ],
  // ── settings, folders, disk ──
  ['Docket $1, Node $2, listens on $3', 'Docket $1, Node $2, принимает соединения на $3'],
  [
    'Links begin with $1, which leads every caller to their own machine, while other machines can reach DOCKET_HOST $2',
    'Ссылки начинаются с $1 и ведут каждого на его собственный компьютер, а DOCKET_HOST $2 доступен с других компьютеров',
  ],
  [
    'set DOCKET_BASE_URL to the address that callers use',
    'задайте в DOCKET_BASE_URL адрес, по которому обращаются к серверу',
  ],
  [
    'Links begin with $1, so a proxy ends TLS, but no proxy is trusted: all callers count as one address',
    'Ссылки начинаются с $1, значит TLS завершает прокси, но ни один прокси не назван доверенным: у всех клиентов один адрес',
  ],
  [
    'set DOCKET_TRUSTED_PROXIES to the address of the proxy, such as 127.0.0.1',
    'задайте в DOCKET_TRUSTED_PROXIES адрес прокси, например 127.0.0.1',
  ],
  [
    'Links begin with $1, but Docket listens on port $2 and no proxy is trusted',
    'Ссылки начинаются с $1, но Docket принимает соединения на порту $2, и ни один прокси не назван доверенным',
  ],
  [
    'give DOCKET_BASE_URL the port $1, or name the proxy in DOCKET_TRUSTED_PROXIES',
    'укажите в DOCKET_BASE_URL порт $1 или назовите прокси в DOCKET_TRUSTED_PROXIES',
  ],
  ['$1, which the first start creates', '$1, папку создаст первый запуск'],
  ['$1, closed to other accounts', '$1, закрыта для других учётных записей'],
  ['This account cannot write the data directory ($1)', 'У этой учётной записи нет права записи в папку данных ($1)'],
  [
    'give the account that runs Docket the right to, or set DOCKET_DATA_DIR to another folder',
    'дайте право записи учётной записи, под которой работает Docket, или задайте в DOCKET_DATA_DIR другую папку',
  ],
  [
    'Other accounts of this machine can enter the data directory',
    'Другие учётные записи этого компьютера могут войти в папку данных',
  ],
  ['The disk of the data directory has $1, less than $2', 'На диске папки данных $1, это меньше $2'],
  ['$1 MB free', 'свободно $1 MB'],
  [
    'free some space, or set DOCKET_DATA_DIR to a folder on another disk',
    'освободите место или задайте в DOCKET_DATA_DIR папку на другом диске',
  ],
  // ── database ──
  ['PostgreSQL $1, schema $2', 'PostgreSQL $1, схема $2'],
  ['PostgreSQL $1, empty', 'PostgreSQL $1, база данных пуста'],
  ['The schema is $1 behind this Docket ($2 is the next)', 'Схема отстаёт от этой версии Docket ($1, следующая — $2)'],
  ['$1 migration', 'миграций: $1'],
  ['$1 migrations', 'миграций: $1'],
  ['$1 function', 'функций: $1'],
  ['$1 functions', 'функций: $1'],
  [
    'docket start: it upgrades the schema (docket backup FILE with the old version first)',
    'docket start: обновит схему (сначала docket backup FILE старой версией)',
  ],
  [
    'The database was written by a newer Docket (it has the migration $1, which this one does not know)',
    'В базу данных писала более новая версия Docket (в ней есть миграция $1, которой эта версия не знает)',
  ],
  ['start that version, or a database of its own', 'запустите ту версию или дайте этой отдельную базу данных'],
  [
    'The file migrations/$1.sql was changed after this database had applied it',
    'Файл migrations/$1.sql изменён после того, как эта база данных его применила',
  ],
  [
    'put the released file back, and write changes into a new migration',
    'верните файл из выпуска, а изменения запишите в новую миграцию',
  ],
  [
    'The migration $1 was added before $2, which this database already has',
    'Миграция $1 добавлена перед $2, которая в этой базе данных уже есть',
  ],
  ['give it a higher number', 'дайте ей больший номер'],
  ['$1 is running since $2 UTC', '$1 выполняется с $2 UTC'],
  ['wait until it has ended', 'дождитесь её конца'],
  ['$1 was interrupted (it began at $2 UTC)', '$1 прервано (начало: $2 UTC)'],
  [
    'repeat docket restore with the same file, or run docket restore --cancel to go on with what the database held before',
    'повторите docket restore с тем же файлом или выполните docket restore --cancel, чтобы вернуться к прежнему содержимому',
  ],
  ['see what it names', 'посмотрите на то, что названо'],
  ['that of PostgreSQL and that of this machine agree', 'часы PostgreSQL и этого компьютера согласованы'],
  [
    'The clock of PostgreSQL is $1 s ahead of that of this machine',
    'Часы PostgreSQL спешат относительно часов этого компьютера на $1 с',
  ],
  [
    'The clock of PostgreSQL is $1 s behind that of this machine',
    'Часы PostgreSQL отстают от часов этого компьютера на $1 с',
  ],
  [
    'set both machines to one time source (timedatectl set-ntp true)',
    'настройте оба компьютера на один источник времени (timedatectl set-ntp true)',
  ],
  ['of Latin texts only', 'только для латиницы'],
  ['of all alphabets', 'для всех алфавитов'],
  [
    'The database has no extension pg_trgm, so that conditions on parts of texts read all rows',
    'В базе данных нет расширения pg_trgm, поэтому условия на части текста читают все строки',
  ],
  [
    'run CREATE EXTENSION pg_trgm in it as its owner, and start Docket again',
    'выполните в ней CREATE EXTENSION pg_trgm от имени владельца и перезапустите Docket',
  ],
  [
    'The database has the character type C, so that conditions on parts of texts that are not Latin read all rows',
    'Тип символов базы данных — C, поэтому условия на части текста не латиницей читают все строки',
  ],
  [
    "restore a backup into a database that was created with LC_CTYPE 'C.UTF-8'; an embedded one is moved by the next start",
    "восстановите резервную копию в базу данных, созданную с LC_CTYPE 'C.UTF-8'; встроенную перенесёт следующий запуск",
  ],
  // ── users, tables, rules, views, filters ──
  ['no user has a published password', 'пользователей с опубликованными паролями нет'],
  ['$1, which only this machine can reach', '$1, доступны только с этого компьютера'],
  ['$1, served because DOCKET_DEMO is on', '$1, доступны, потому что DOCKET_DEMO=on'],
  [
    'Users with published passwords can be reached from other machines (DOCKET_HOST is $1)',
    'Под пользователями с опубликованными паролями можно войти с других компьютеров (DOCKET_HOST: $1)',
  ],
  [
    'docket demo remove, or DOCKET_DEMO=on to serve them all the same',
    'docket demo remove или DOCKET_DEMO=on, чтобы всё же оставить их',
  ],
  ['$1, $2 of them your own', '$1, из них ваших $2'],
  [
    'No access rule lets anybody but administrators read',
    'Ни одно правило доступа не разрешает чтение никому, кроме администраторов',
  ],
  ['create a rule: $1', 'создайте правило: $1'],
  ['An access rule has no effect: $1', 'Правило доступа не действует: $1'],
  ['correct or delete it: $1', 'исправьте или удалите его: $1'],
  ['A view names columns that are not there: $1', 'В представлении названы столбцы, которых нет: $1'],
  [
    'delete these rows of sys_ui_form_element, or create the columns again',
    'удалите эти строки sys_ui_form_element или снова создайте столбцы',
  ],
  ['$1 conditions, $2 followed collections', 'условий $1, коллекций по таблицам $2'],
  ['A filter names what is not there: $1', 'В фильтре названо то, чего нет: $1'],
  [
    'correct its condition: PATCH the row of sys_filter or sys_state_model, or PUT /collections/{name}/follow',
    'исправьте его условие: PATCH строки sys_filter или sys_state_model либо PUT /collections/{name}/follow',
  ],
  [
    'Adopted tables differ from what the dictionary says of them',
    'Подключённые таблицы отличаются от своего описания в словаре',
  ],
  [
    'docket adopt --schema $1 (with --dry-run it only says what it would do)',
    'docket adopt --schema $1 (с --dry-run команда только сообщит, что сделала бы)',
  ],
  // ── background work, documents, files, index ──
  ['$1 job waits', 'заданий в очереди: $1'],
  ['$1 jobs wait', 'заданий в очереди: $1'],
  ['$1 job failed at every attempt and will not run again', 'Задания не удались ни разу и больше не запустятся: $1'],
  ['$1 jobs failed at every attempt and will not run again', 'Задания не удались ни разу и больше не запустятся: $1'],
  [
    'see "job failed" in the log of the server; then, in the database: $1',
    'найдите "job failed" в журнале сервера; затем выполните в базе данных: $1',
  ],
  [
    '$1 load of documents began or waits, and no server takes it up',
    'Загрузки документов начаты или ждут, и ни один сервер их не продолжает: $1',
  ],
  [
    '$1 loads of documents began or wait, and no server takes them up',
    'Загрузки документов начаты или ждут, и ни один сервер их не продолжает: $1',
  ],
  [
    'start a server of this database (docket start); where one runs, restart it',
    'запустите сервер этой базы данных (docket start); если он работает, перезапустите его',
  ],
  ['$1 documents, $2 chunks', 'документов $1, фрагментов $2'],
  ['$1 document is not whole in the database', 'Документы, которые есть в базе данных не целиком: $1'],
  ['$1 documents are not whole in the database', 'Документы, которые есть в базе данных не целиком: $1'],
  [
    'load them again: docket documents load, or the request that loaded them',
    'загрузите их снова: docket documents load или тем же запросом, что и раньше',
  ],
  ['$1 load of documents failed', 'Неудавшиеся загрузки документов: $1'],
  ['$1 loads of documents failed', 'Неудавшиеся загрузки документов: $1'],
  [
    'ask why with GET /get_document_status?collection_name=…&doc_id=…, correct the file, and load it again',
    'узнайте причину: GET /get_document_status?collection_name=…&doc_id=…, исправьте файл и загрузите его снова',
  ],
  [
    '$1 followed collection does not hold what its table says',
    'Коллекции, содержимое которых не соответствует их таблицам: $1',
  ],
  [
    '$1 followed collections do not hold what their tables say',
    'Коллекции, содержимое которых не соответствует их таблицам: $1',
  ],
  [
    'correct the named records or the settings (PUT /collections/{name}/follow); the next comparison clears it',
    'исправьте названные записи или настройки (PUT /collections/{name}/follow); следующее сравнение снимет ошибку',
  ],
  ['$1 file, $2', 'файлов $1, $2'],
  ['$1 files, $2', 'файлов $1, $2'],
  ['read and compared', 'прочитаны и сравнены'],
  ['compared by size (--thorough reads them)', 'сравнены по размеру (--thorough читает их)'],
  ['$1 file is $2', 'Файлы ($1) $2'],
  ['$1 files are $2', 'Файлы ($1) $2'],
  ['missing from the file store', 'отсутствуют в хранилище файлов'],
  ['damaged: the bytes are others', 'повреждены: их содержимое другое'],
  ['unknown to the database', 'неизвестны базе данных'],
  [
    'put them back from a backup (docket restore), or load them again',
    'верните их из резервной копии (docket restore) или загрузите снова',
  ],
  ['remove these files: no record names them', 'удалите эти файлы: на них не ссылается ни одна запись'],
  ['no server is running', 'ни один сервер не запущен'],
  ['all running servers share one', 'у всех запущенных серверов оно общее'],
  [
    'Servers of this database keep files in different places: each lacks what the others received',
    'Серверы этой базы данных хранят файлы в разных местах: у каждого нет того, что получили другие',
  ],
  [
    'give all servers one object store (DOCKET_S3_ENDPOINT), or one folder as DOCKET_DATA_DIR',
    'дайте всем серверам одно хранилище объектов (DOCKET_S3_ENDPOINT) или одну папку в DOCKET_DATA_DIR',
  ],
  ['none is kept here yet', 'здесь его ещё нет'],
  ['is kept; --thorough compares it', 'есть; --thorough сравнивает его с документами'],
  [
    '$1 document has vectors that are not those of its text, or not those that were given',
    'Документы, векторы которых не соответствуют тексту или переданным векторам: $1',
  ],
  [
    '$1 documents have vectors that are not those of their texts, or not those that were given',
    'Документы, векторы которых не соответствуют тексту или переданным векторам: $1',
  ],
  ['$1 document compared', 'сравнено документов: $1'],
  ['$1 documents compared', 'сравнено документов: $1'],
  ['$1 document differs in the search index', 'Документы, которые отличаются в поисковом индексе: $1'],
  ['$1 documents differ in the search index', 'Документы, которые отличаются в поисковом индексе: $1'],
  // ── webhooks, events ──
  [
    '$1 active webhook sends nothing: run_as is empty or names a user who is not active',
    'Действующие вебхуки, которые ничего не отправляют: $1. В run_as никто не назван или назван отключённый пользователь',
  ],
  [
    '$1 active webhooks send nothing: run_as is empty or names a user who is not active',
    'Действующие вебхуки, которые ничего не отправляют: $1. В run_as никто не назван или назван отключённый пользователь',
  ],
  [
    'PATCH /rest/v1/table/sys_webhook/$1 {"run_as":"SYS_ID of a user"}, or set its url again',
    'PATCH /rest/v1/table/sys_webhook/$1 {"run_as":"SYS_ID пользователя"} или снова задайте url',
  ],
  ['$1 delivery was given up after all attempts', 'Доставки, которые не удались ни с одной попытки: $1'],
  ['$1 deliveries were given up after all attempts', 'Доставки, которые не удались ни с одной попытки: $1'],
  [
    'read error of sys_webhook_delivery with state=dead, then POST /rest/v1/webhook_deliveries/{sys_id}/resend',
    'прочитайте error в sys_webhook_delivery с state=dead, затем отправьте POST /rest/v1/webhook_deliveries/{sys_id}/resend',
  ],
  ['no transaction holds them back', 'ни одна транзакция их не задерживает'],
  [
    'A transaction that is open for $1 s holds back events, webhooks and followed collections',
    'Транзакция, открытая уже $1 с, задерживает события, вебхуки и коллекции по таблицам',
  ],
  [
    'commit it, or end its connection: select pg_terminate_backend($1)',
    'завершите её или закройте её соединение: select pg_terminate_backend($1)',
  ],
  // ── why a delivery failed ──
  ['the receiver responded with status $1', 'получатель ответил статусом $1'],
  ['the receiver closed the connection without a response', 'получатель закрыл соединение без ответа'],
  ['the connection failed', 'соединение не удалось'],
  ['no response in time', 'ответа не было вовремя'],
  [
    'the user whose rights the webhook runs with may not read this change, or it is no longer kept',
    'пользователь, с правами которого работает вебхук, не может читать это изменение, или оно уже удалено',
  ],
  ['the address is not an http:// or https:// address', 'адрес не начинается с http:// или https://'],
  ['the address holds credentials', 'в адресе есть учётные данные'],
  [
    '$1 has no address that may be reached (setting DOCKET_WEBHOOK_NETWORKS)',
    'у $1 нет адреса, к которому можно обращаться (настройка DOCKET_WEBHOOK_NETWORKS)',
  ],
]

/** Places of findings are lists of names. By finding, so that no name is taken for a word: the words beside the names. */
export const DOCTOR_PLACES: Readonly<Record<string, readonly (readonly [english: RegExp, russian: string])[]>> = {
  'settings-wrong': [[/^the environment$/, 'окружение']],
  'data-directory-open': [[/ \(mode (\d+)\)/g, ' (права $1)']],
  'clock-differs': [[/^this machine and PostgreSQL$/, 'этот компьютер и PostgreSQL']],
  'trigrams-missing': [[/^the database$/, 'база данных']],
  'trigrams-without-letters': [[/^the database$/, 'база данных']],
  'view-broken': [[/ of (\w+)(?=, | and |$)/g, ' таблицы $1']],
  'filter-broken': [
    [/(^|, )filter (.*?) of (\w+)(?=, | and |$)/g, '$1фильтр $2 таблицы $3'],
    [/(^|, )state model of /g, '$1модель состояний таблицы '],
    [/(^|, )followed collection /g, '$1коллекция по таблице '],
  ],
  'adopted-table-drifted': [
    [/^the schema (\w+) is gone$/, 'схемы $1 больше нет'],
    [/ is gone(?=, | and |$)/g, ': больше нет'],
    [/ is new(?=, | and |$)/g, ': добавлено'],
    [/: read-only or not(?=, | and |$)/g, ': право записи'],
    // Why a table cannot be adopted any more (adopt/describe-table.ts).
    [/: the role of Docket may not read it \(grant select\)/g, ': роль Docket не может её читать (grant select)'],
    [/: it is a foreign table/g, ': это внешняя таблица'],
    [
      /: other tables inherit from it, and their rows may have the same keys/g,
      ': от неё наследуют другие таблицы, и ключи их строк могут совпадать',
    ],
    [/: it has no primary key/g, ': нет первичного ключа'],
    [
      /: it is a view; name the column that tells its rows apart: /g,
      ': это представление; назовите столбец, который различает его строки: ',
    ],
    [/: it has no column (\w+)(?! that)/g, ': нет столбца $1'],
    [/: the name of its key, ("[^"]*"), is none that is served/g, ': ключ с именем $1 не поддерживается'],
    [/: its key (\S+) is of type (.+?), which is not served/g, ': тип $2 ключа $1 не поддерживается'],
    [
      /: its key (\S+) is of type (.+?), which an extension brings and is not served as a key/g,
      ': тип $2 ключа $1 из расширения, и ключом он не поддерживается',
    ],
    [/: it has a column (\w+) that is not its key/g, ': столбец $1 не является её ключом'],
  ],
  'job-dead': [[/ \(job (\d+), (\d+) attempts\)/g, ' (задание $1, попыток $2)']],
  'document-incomplete': [[/(^|, )chunks of number /g, '$1фрагменты документа номер ']],
  'file-stores-differ': [[/^(\d+) file stores$/, 'хранилищ файлов: $1']],
  'index-differs': [
    [/^vectors$/, 'векторы'],
    [/(^|, )number (?=\d)/g, '$1номер '],
  ],
  'events-held-back': [[/(^|, )PostgreSQL process /g, '$1процесс PostgreSQL ']],
}
