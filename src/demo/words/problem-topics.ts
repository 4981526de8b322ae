import type { InBoth } from './language.ts'
import type { ServiceKey } from './services.ts'
import type { Team } from './teams.ts'
import type { Category } from './topic.ts'

export interface ProblemTopic
  extends InBoth<{
    readonly subject: string
    readonly description: string
    readonly rootCause: string
    readonly workaround: string
  }> {
  readonly category: Category
  readonly team: Team
  /** Incidents of this service may be its children. */
  readonly service: ServiceKey
}

export const problemTopics: readonly ProblemTopic[] = [
  {
    category: 'network',
    team: 'network',
    service: 'vpn',
    en: {
      subject: 'VPN sessions end after {minutes} minutes on the second gateway',
      description: 'Repeated reports of dropped sessions; only users of the second gateway are affected.',
      rootCause: 'Session life differs between the gateways since the update in spring.',
      workaround: 'Choose the first gateway in the client.',
    },
    ru: {
      subject: 'Сеансы VPN на втором шлюзе завершаются через {minutes} минут',
      description: 'Повторяющиеся жалобы на обрывы, только у пользователей второго шлюза.',
      rootCause: 'После весеннего обновления на шлюзах разное время жизни сеанса.',
      workaround: 'Выбрать в клиенте первый шлюз.',
    },
  },
  {
    category: 'network',
    team: 'network',
    service: 'wifi',
    en: {
      subject: 'Access points restart at full load',
      description: 'Points of one series restart when more than forty clients are connected.',
      rootCause: 'Power budget of the switches is exceeded by the new points.',
      workaround: 'Every second point runs at reduced power.',
    },
    ru: {
      subject: 'Точки доступа перезагружаются под нагрузкой',
      description: 'Точки одной серии перезагружаются, когда подключено больше сорока клиентов.',
      rootCause: 'Новые точки превышают бюджет питания коммутаторов.',
      workaround: 'Каждая вторая точка работает на пониженной мощности.',
    },
  },
  {
    category: 'mail',
    team: 'mail',
    service: 'mail',
    en: {
      subject: 'Delayed mail on Monday mornings',
      description: 'For weeks mail has been delayed by up to an hour between nine and ten on Mondays.',
      rootCause: 'The virus scanner loads its full signatures at that time.',
      workaround: 'Urgent messages by chat.',
    },
    ru: {
      subject: 'Задержка почты по утрам в понедельник',
      description: 'Несколько недель почта по понедельникам с девяти до десяти запаздывает до часа.',
      rootCause: 'В это время проверка вирусов загружает полные базы.',
      workaround: 'Срочное отправлять в чате.',
    },
  },
  {
    category: 'access',
    team: 'identity',
    service: 'directory',
    en: {
      subject: 'Lockouts after a password change',
      description: 'Every third lockout happens within a day after a password change.',
      rootCause: 'Phones keep the old password and try it every minute.',
      workaround: 'Switch the phone to flight mode before changing the password.',
    },
    ru: {
      subject: 'Блокировки после смены пароля',
      description: 'Каждая третья блокировка происходит в течение суток после смены пароля.',
      rootCause: 'Телефоны хранят старый пароль и пробуют его каждую минуту.',
      workaround: 'Перед сменой пароля включить на телефоне режим полёта.',
    },
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'erp',
    en: {
      subject: 'Accounts are missing in documents of the last day',
      description: 'At the end of each month some documents have no accounts.',
      rootCause: 'The background job stops when a day has more than 5,000 documents.',
      workaround: 'Start the job by hand on the first of the month.',
    },
    ru: {
      subject: 'В документах последнего дня нет счетов',
      description: 'В конце каждого месяца у части документов не заполнены счета.',
      rootCause: 'Фоновое задание останавливается, если за день больше 5 000 документов.',
      workaround: 'Первого числа запускать задание вручную.',
    },
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'crm',
    en: {
      subject: 'Mail is not attached to deals',
      description: 'After password changes mails are missing in the history of deals.',
      rootCause: 'The connector loses its permission with the password.',
      workaround: 'Connect the mailbox again in the settings.',
    },
    ru: {
      subject: 'Письма не привязываются к сделкам',
      description: 'После смены пароля в истории сделок нет писем.',
      rootCause: 'Коннектор теряет разрешение вместе с паролем.',
      workaround: 'Подключить ящик заново в настройках.',
    },
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'wms',
    en: {
      subject: 'Terminals lose the connection at the gates',
      description: 'Trucks at the gates cut the coverage.',
      rootCause: 'Metal bodies shadow the gates; access points are placed inside only.',
      workaround: 'Scan a metre further inside.',
    },
    ru: {
      subject: 'Терминалы теряют связь у ворот',
      description: 'Машины у ворот перекрывают покрытие.',
      rootCause: 'Металлические кузова закрывают ворота, точки доступа стоят только внутри.',
      workaround: 'Сканировать на метр глубже.',
    },
  },
  {
    category: 'printing',
    team: 'workplace',
    service: 'printing',
    en: {
      subject: 'Print queue stops after an update of the driver',
      description: 'After each monthly update some computers cannot print.',
      rootCause: 'The update replaces the driver by a version that needs administrator rights once.',
      workaround: 'Print from the browser page of the print server.',
    },
    ru: {
      subject: 'После обновления драйвера встаёт очередь печати',
      description: 'После ежемесячных обновлений часть компьютеров не печатает.',
      rootCause: 'Обновление ставит версию драйвера, которой один раз нужны права администратора.',
      workaround: 'Печатать со страницы сервера печати в браузере.',
    },
  },
  {
    category: 'hardware',
    team: 'workplace',
    service: 'laptop',
    en: {
      subject: 'Blue screens in video meetings on one laptop model',
      description: 'Eleven laptops of the same model crash in video meetings.',
      rootCause: 'Graphics driver of March.',
      workaround: 'Switch off the blurred background.',
    },
    ru: {
      subject: 'Синие экраны на видеовстречах у одной модели ноутбуков',
      description: 'Одиннадцать ноутбуков одной модели падают на видеовстречах.',
      rootCause: 'Мартовский драйвер видеокарты.',
      workaround: 'Отключить размытие фона.',
    },
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'softphone',
    en: {
      subject: 'One-way audio over VPN',
      description: 'About a tenth of calls over VPN has sound in one direction only.',
      rootCause: 'Voice passes the address translation of the gateway twice.',
      workaround: 'Leave VPN for the call.',
    },
    ru: {
      subject: 'Односторонняя слышимость через VPN',
      description: 'Примерно у каждого десятого звонка через VPN звук только в одну сторону.',
      rootCause: 'Голос дважды проходит трансляцию адресов на шлюзе.',
      workaround: 'На время звонка отключить VPN.',
    },
  },
  {
    category: 'software',
    team: 'servers',
    service: 'database',
    en: {
      subject: 'Connections run out after application updates',
      description: 'Three times this quarter a database ran out of connections after an update.',
      rootCause: 'The update resets the pool setting of the application.',
      workaround: 'Check the pool after each update.',
    },
    ru: {
      subject: 'После обновлений приложений кончаются подключения',
      description: 'Трижды за квартал у базы после обновления заканчивались подключения.',
      rootCause: 'Обновление сбрасывает настройку пула приложения.',
      workaround: 'После каждого обновления проверять пул.',
    },
  },
  {
    category: 'software',
    team: 'servers',
    service: 'backup',
    en: {
      subject: 'Copies fail when the repository merges',
      description: 'On the first weekend of the month the nightly copies fail.',
      rootCause: 'Merging old copies takes all of the space for two hours.',
      workaround: 'Repeat the copies by day.',
    },
    ru: {
      subject: 'Копии не проходят во время объединения',
      description: 'В первые выходные месяца ночные копии завершаются ошибкой.',
      rootCause: 'Объединение старых копий на два часа занимает всё место.',
      workaround: 'Повторять копии днём.',
    },
  },
]
