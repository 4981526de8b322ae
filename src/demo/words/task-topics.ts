import type { InBoth } from './language.ts'
import type { Team } from './teams.ts'

/** Work without a caller: routine, preparation, maintenance. */
export interface TaskTopic extends InBoth<readonly [subject: string, description: string]> {
  readonly team: Team
}

export const taskTopics: readonly TaskTopic[] = [
  {
    team: 'servers',
    en: ['Morning check of servers and copies', 'Go through the list, note what is red, open incidents where needed.'],
    ru: [
      'Утренняя проверка серверов и копий',
      'Пройти по списку, отметить красное, при необходимости завести инциденты.',
    ],
  },
  {
    team: 'servers',
    en: ['Restore test for {host}', 'Restore into the test network, compare sizes and dates, sign the record.'],
    ru: ['Проверка восстановления {host}', 'Восстановить в тестовой сети, сверить размеры и даты, подписать протокол.'],
  },
  {
    team: 'servers',
    en: ['Monthly updates on {host}', 'Updates after {soon}, restart, check of the services.'],
    ru: ['Ежемесячные обновления {host}', 'Обновления после {soon}, перезагрузка, проверка служб.'],
  },
  {
    team: 'network',
    en: ['Copy the configurations of switches on floor {floor}', 'Compare with the last state, explain differences.'],
    ru: ['Сохранить настройки коммутаторов {floor} этажа', 'Сравнить с прошлым состоянием, объяснить различия.'],
  },
  {
    team: 'network',
    en: ['Survey of Wi-Fi on floor {floor}', 'Measure before and after the furniture was moved.'],
    ru: ['Радиообследование Wi-Fi, {floor} этаж', 'Замеры до и после перестановки мебели.'],
  },
  {
    team: 'network',
    en: ['Label the sockets of floor {floor}', 'Start at {socket}; the list is in {share}.'],
    ru: ['Промаркировать розетки {floor} этажа', 'Начать с {socket}, список в {share}.'],
  },
  {
    team: 'identity',
    en: ['Quarterly review of rights: {app}', 'Send the list to the owner, withdraw what is not confirmed.'],
    ru: ['Квартальный пересмотр прав: {app}', 'Отправить список владельцу, отозвать неподтверждённое.'],
  },
  {
    team: 'identity',
    en: [
      'Close accounts without sign-in for 60 days',
      'Ask the managers first; holidays and parental leave are exceptions.',
    ],
    ru: ['Закрыть учётные записи без входа 60 дней', 'Сначала спросить руководителей; отпуска по уходу исключение.'],
  },
  {
    team: 'workplace',
    en: ['Stocktaking of equipment on floor {floor}', 'Scan the labels, note what is missing.'],
    ru: ['Инвентаризация оборудования, {floor} этаж', 'Сканировать метки, записать недостающее.'],
  },
  {
    team: 'workplace',
    en: ['Prepare {count} laptops for stock', 'Standard image, updates, label, battery test.'],
    ru: ['Подготовить {count} ноутбуков на склад', 'Стандартный образ, обновления, метка, проверка батареи.'],
  },
  {
    team: 'workplace',
    en: ['Service of {printer}', 'Clean, check rollers and drum, note the counter.'],
    ru: ['Обслуживание {printer}', 'Чистка, проверка роликов и барабана, записать счётчик.'],
  },
  {
    team: 'workplace',
    en: ['Check of meeting room {room}', 'Sound, camera, screen sharing, cables, batteries of the remote control.'],
    ru: ['Проверка переговорной {room}', 'Звук, камера, показ экрана, кабели, батарейки пульта.'],
  },
  {
    team: 'workplace',
    en: ['Dispose of old equipment, {count} pieces', 'Wipe the disks, fill in the record.'],
    ru: ['Списание старого оборудования, {count} шт.', 'Стереть диски, оформить акт.'],
  },
  {
    team: 'mail',
    en: ['Review of distribution lists', 'Lists without an owner or without mail for a year.'],
    ru: ['Пересмотр рассылок', 'Рассылки без владельца и без писем за год.'],
  },
  {
    team: 'telephony',
    en: ['Free numbers of former employees', 'Take back numbers, remove forwardings.'],
    ru: ['Освободить номера уволенных', 'Вернуть номера, снять переадресации.'],
  },
  {
    team: 'telephony',
    en: ['Listen to {count} recordings of the hotline', 'By the quality sheet, results to the manager.'],
    ru: ['Прослушать {count} записей горячей линии', 'По листу качества, итоги руководителю.'],
  },
  {
    team: 'erp',
    en: ['Check of nightly jobs in ERP', 'Durations against the average, errors into the journal.'],
    ru: ['Проверка ночных заданий ERP', 'Длительность против средней, ошибки в журнал.'],
  },
  {
    team: 'erp',
    en: ['Test of the monthly release with key users', 'Collect the records of acceptance from four departments.'],
    ru: ['Проверка ежемесячного выпуска с ключевыми пользователями', 'Собрать протоколы приёмки от четырёх отделов.'],
  },
  {
    team: 'applications',
    en: ['Documentation of {app}: bring up to date', 'Screens have changed since the last release.'],
    ru: ['Обновить документацию системы {app}', 'После выпуска изменились экраны.'],
  },
  {
    team: 'applications',
    en: ['Compare data of {app} and the dashboards', 'Turnover by day for last month.'],
    ru: ['Сверить данные системы {app} и дашбордов', 'Оборот по дням за прошлый месяц.'],
  },
  {
    team: 'security',
    en: ['Evaluate the phishing exercise', 'Who opened, who reported; report without names.'],
    ru: ['Итоги учебного фишинга', 'Кто открыл, кто сообщил; отчёт без имён.'],
  },
  {
    team: 'security',
    en: ['Review of exceptions in disk and device control', 'Exceptions older than 90 days need a reason or end.'],
    ru: ['Пересмотр исключений контроля устройств', 'Исключениям старше 90 дней нужна причина, иначе снять.'],
  },
  {
    team: 'first-line',
    en: ['Call back callers with low marks', 'Five callers of last week, ask what went wrong.'],
    ru: ['Перезвонить по низким оценкам', 'Пять заявителей прошлой недели, узнать, что было не так.'],
  },
  {
    team: 'first-line',
    en: ['Review of the knowledge article about {app}', 'Three callers did not get on with it.'],
    ru: ['Пересмотреть статью базы знаний о системе {app}', 'Троим заявителям она не помогла.'],
  },
  {
    team: 'first-line',
    en: ['Shift handover', 'Open critical tickets, announced works, absences.'],
    ru: ['Передача смены', 'Открытые критические обращения, плановые работы, отсутствующие.'],
  },
]

/** Parts of a request that one person does; children of the request. */
export const subtaskTopics: readonly TaskTopic[] = [
  {
    team: 'workplace',
    en: ['Prepare the device', 'Standard image, dock, label.'],
    ru: ['Подготовить устройство', 'Стандартный образ, док-станция, метка.'],
  },
  {
    team: 'identity',
    en: ['Create the account', 'By the form of HR, first password to the manager.'],
    ru: ['Создать учётную запись', 'По анкете кадров, первый пароль руководителю.'],
  },
  {
    team: 'mail',
    en: ['Create the mailbox and the lists', 'Lists of the department.'],
    ru: ['Создать ящик и рассылки', 'Рассылки подразделения.'],
  },
  {
    team: 'telephony',
    en: ['Assign a number', 'From the range of the office.'],
    ru: ['Назначить номер', 'Из диапазона офиса.'],
  },
  {
    team: 'workplace',
    en: ['Set up the workplace', 'Floor {floor}, socket {socket}.'],
    ru: ['Оборудовать рабочее место', '{floor} этаж, розетка {socket}.'],
  },
  {
    team: 'identity',
    en: ['Grant the rights in {app}', 'As for the colleagues of the department.'],
    ru: ['Выдать права в системе {app}', 'Как у коллег по отделу.'],
  },
]
