import type { Topic } from './topic.ts'

export interface RequestTopic extends Topic {
  /** The cost for the caller's company; '' if nothing is charged. */
  readonly price: string
  /** A manager has to approve it before the work begins. */
  readonly needsApproval: boolean
}

export const requestTopics: readonly RequestTopic[] = [
  {
    category: 'hardware',
    team: 'workplace',
    service: 'laptop',
    weight: 5,
    price: '1180.00',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['Laptop for a new colleague'],
          description:
            'A new colleague starts in two weeks on floor {floor}. Please prepare a standard laptop with dock.',
          finding: 'One device of this model is in stock, two on order.',
          fix: 'Laptop prepared and handed over against signature.',
        },
        ru: {
          subjects: ['Ноутбук для нового сотрудника'],
          description:
            'Через две недели на {floor} этаже выходит новый сотрудник. Нужен стандартный ноутбук с док-станцией.',
          finding: 'Одно устройство этой модели есть на складе, два заказаны.',
          fix: 'Ноутбук подготовлен и выдан под роспись.',
        },
      },
      {
        en: {
          subjects: ['Replacement of laptop {asset}'],
          description: 'My laptop {asset} is five years old and slow. I would like the standard replacement.',
          finding: 'One device of this model is in stock, two on order.',
          fix: 'Laptop prepared and handed over against signature.',
        },
        ru: {
          subjects: ['Замена ноутбука {asset}'],
          description: 'Ноутбуку {asset} пять лет, работает медленно. Прошу заменить по стандарту.',
          finding: 'Одно устройство этой модели есть на складе, два заказаны.',
          fix: 'Ноутбук подготовлен и выдан под роспись.',
        },
      },
      {
        en: {
          subjects: ['Powerful computer for design work'],
          description: 'For video and layout the standard laptop is too slow; please give me the model for design.',
          finding: 'One device of this model is in stock, two on order.',
          fix: 'Laptop prepared and handed over against signature.',
        },
        ru: {
          subjects: ['Мощный компьютер для графики'],
          description: 'Для видео и вёрстки стандартного ноутбука не хватает, прошу модель для графики.',
          finding: 'Одно устройство этой модели есть на складе, два заказаны.',
          fix: 'Ноутбук подготовлен и выдан под роспись.',
        },
      },
    ],
  },
  {
    category: 'hardware',
    team: 'workplace',
    service: 'peripherals',
    weight: 6,
    price: '165.50',
    needsApproval: false,
    cases: [
      {
        en: {
          subjects: ['Second monitor', 'Headset for calls'],
          description: 'Please give me the device, my place is {socket} on floor {floor}.',
          finding: 'In stock.',
          fix: 'Delivered to the desk and connected.',
        },
        ru: {
          subjects: ['Второй монитор', 'Гарнитура для звонков'],
          description: 'Прошу выдать устройство, моё место {socket} на {floor} этаже.',
          finding: 'Есть на складе.',
          fix: 'Доставлено на рабочее место и подключено.',
        },
      },
      {
        en: {
          subjects: ['Ergonomic mouse', 'Docking station for home'],
          description: 'I have many calls and need the device from the catalogue. My manager knows.',
          finding: 'In stock.',
          fix: 'Delivered to the desk and connected.',
        },
        ru: {
          subjects: ['Эргономичная мышь', 'Док-станция для дома'],
          description: 'Много звонков, нужно устройство из каталога. Руководитель в курсе.',
          finding: 'Есть на складе.',
          fix: 'Доставлено на рабочее место и подключено.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'workplace',
    service: 'software',
    weight: 6,
    price: '240.00',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['Install the drawing program on {asset}'],
          description: 'I need the program for a project until the end of the quarter. Computer: {asset}.',
          finding: 'Four free licences in the pool.',
          fix: 'Assigned a licence and installed the program.',
        },
        ru: {
          subjects: ['Установить программу черчения на {asset}'],
          description: 'Программа нужна для проекта до конца квартала. Компьютер {asset}.',
          finding: 'В пуле четыре свободные лицензии.',
          fix: 'Лицензия назначена, программа установлена.',
        },
      },
      {
        en: {
          subjects: [
            'Licence for the diagram editor',
            'Install the statistics package',
            'PDF editor instead of the reader',
          ],
          description: 'Please install the program from the catalogue, the cost centre of my department pays.',
          finding: 'Four free licences in the pool.',
          fix: 'Assigned a licence and installed the program.',
        },
        ru: {
          subjects: ['Лицензия редактора схем', 'Установить статистический пакет', 'Редактор PDF вместо просмотра'],
          description: 'Прошу установить программу из каталога за счёт нашего подразделения.',
          finding: 'В пуле четыре свободные лицензии.',
          fix: 'Лицензия назначена, программа установлена.',
        },
      },
    ],
  },
  {
    category: 'access',
    team: 'identity',
    service: 'directory',
    weight: 7,
    price: '',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['Onboarding: new colleague from Monday'],
          description: 'A new colleague starts on Monday: account, mail, standard rights of the department, {app}.',
          finding: 'HR has entered the person, number is known.',
          fix: 'Account, mailbox and rights created; the first password is with the manager.',
        },
        ru: {
          subjects: ['Новый сотрудник с понедельника: учётная запись'],
          description:
            'С понедельника выходит новый сотрудник: учётная запись, почта, стандартные права отдела, {app}.',
          finding: 'Кадры внесли сотрудника, табельный номер известен.',
          fix: 'Созданы учётная запись, ящик и права; первый пароль у руководителя.',
        },
      },
      {
        en: {
          subjects: ["Extend a contractor's account"],
          description: 'Our contractor works until the end of the project. Please extend the account by 90 days.',
          finding: 'HR has entered the person, number is known.',
          fix: 'Prolonged by 90 days, all rights stay as they are.',
        },
        ru: {
          subjects: ['Продлить учётную запись подрядчика'],
          description: 'Подрядчик работает до конца проекта. Прошу продлить учётную запись на 90 дней.',
          finding: 'Кадры внесли сотрудника, табельный номер известен.',
          fix: 'Продлено на 90 дней, права без изменений.',
        },
      },
      {
        en: {
          subjects: ['Account for a contractor'],
          description: 'A contractor helps us until the end of the quarter and needs an account, mail and {app}.',
          finding: "The contract with the contractor's firm is in the archive.",
          fix: 'Account, mailbox and rights created; the first password is with the manager.',
        },
        ru: {
          subjects: ['Учётная запись для подрядчика'],
          description: 'До конца квартала нам помогает подрядчик, нужны учётная запись, почта и {app}.',
          finding: 'Договор с организацией подрядчика есть в архиве.',
          fix: 'Созданы учётная запись, ящик и права; первый пароль у руководителя.',
        },
      },
      {
        en: {
          subjects: ['Accounts for three interns'],
          description: 'Three interns start next week and stay until the end of summer.',
          finding: 'HR has entered the person, number is known.',
          fix: 'Account, mailbox and rights created; the first password is with the manager.',
        },
        ru: {
          subjects: ['Учётные записи трём стажёрам'],
          description: 'На следующей неделе выходят три стажёра, до конца лета.',
          finding: 'Кадры внесли сотрудника, табельный номер известен.',
          fix: 'Созданы учётная запись, ящик и права; первый пароль у руководителя.',
        },
      },
    ],
  },
  {
    category: 'access',
    team: 'identity',
    service: 'directory',
    weight: 3,
    price: '',
    needsApproval: false,
    cases: [
      {
        en: {
          subjects: ['Offboarding: last day on Friday'],
          description:
            'The last day is Friday. Please close the accounts in the evening and hand the mailbox to me for a month.',
          finding: "Laptop {asset} and a phone are on the person's list.",
          fix: 'Accounts closed, mailbox handed over, equipment returned.',
        },
        ru: {
          subjects: ['Увольнение: последний день в пятницу'],
          description: 'Последний рабочий день в пятницу. Прошу вечером закрыть доступы и на месяц передать ящик мне.',
          finding: 'За сотрудником числятся ноутбук {asset} и телефон.',
          fix: 'Учётные записи закрыты, ящик передан, оборудование возвращено.',
        },
      },
      {
        en: {
          subjects: ['Close the account of a former employee'],
          description: 'The person left on the last day of the month and is still in our lists.',
          finding: "Laptop {asset} and a phone are on the person's list.",
          fix: 'Accounts closed, mailbox handed over, equipment returned.',
        },
        ru: {
          subjects: ['Закрыть учётную запись уволенного'],
          description: 'Сотрудник уволен последним днём месяца, но всё ещё есть в наших списках.',
          finding: 'За сотрудником числятся ноутбук {asset} и телефон.',
          fix: 'Учётные записи закрыты, ящик передан, оборудование возвращено.',
        },
      },
      {
        en: {
          subjects: ['Forward mail of a colleague who left'],
          description: 'A colleague left last week; please forward the mail to me for a month.',
          finding: 'The manager agreed.',
          fix: 'Forwarding is set and ends by itself in a month.',
        },
        ru: {
          subjects: ['Переадресовать почту ушедшего коллеги'],
          description: 'Коллега уволился на прошлой неделе, прошу месяц пересылать его почту мне.',
          finding: 'Руководитель согласен.',
          fix: 'Переадресация настроена и через месяц отключится сама.',
        },
      },
    ],
  },
  {
    category: 'access',
    team: 'identity',
    service: 'rights',
    weight: 9,
    price: '',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['Access to {app}'],
          description: 'I need {app} for my work from this week, the same rights as my colleagues.',
          finding: 'Asked the owner of the resource.',
          fix: 'Rights granted; they take effect after the next sign-in.',
        },
        ru: {
          subjects: ['Доступ к системе {app}'],
          description: 'С этой недели для работы нужна система {app}, права как у коллег.',
          finding: 'Запрошено согласие владельца ресурса.',
          fix: 'Права выданы, заработают после повторного входа.',
        },
      },
      {
        en: {
          subjects: ['Read access to the folder {share}', 'Write access to the folder {share}'],
          description: 'Please give me access to {share}; the owner has agreed by mail.',
          finding: 'Asked the owner of the resource.',
          fix: 'Rights granted; they take effect after the next sign-in.',
        },
        ru: {
          subjects: ['Доступ на чтение к папке {share}', 'Доступ на запись к папке {share}'],
          description: 'Прошу дать доступ к {share}, владелец согласен, письмо есть.',
          finding: 'Запрошено согласие владельца ресурса.',
          fix: 'Права выданы, заработают после повторного входа.',
        },
      },
      {
        en: {
          subjects: ['Role "approver" in {app}'],
          description:
            'From the first of the month I approve the invoices of our department in {app}; the order is attached.',
          finding: 'Asked the owner of the resource.',
          fix: 'Rights granted; they take effect after the next sign-in.',
        },
        ru: {
          subjects: ['Роль «согласующий» в системе {app}'],
          description: 'С первого числа согласую счета отдела в системе {app}, приказ приложен.',
          finding: 'Запрошено согласие владельца ресурса.',
          fix: 'Права выданы, заработают после повторного входа.',
        },
      },
    ],
  },
  {
    category: 'mail',
    team: 'mail',
    service: 'mail',
    weight: 5,
    price: '',
    needsApproval: false,
    cases: [
      {
        en: {
          subjects: ['Shared mailbox for a project'],
          description: 'We need a common address for the project, five people read and answer.',
          finding: 'Name follows the naming rule.',
          fix: 'Created; members see it within an hour.',
        },
        ru: {
          subjects: ['Общий ящик для проекта'],
          description: 'Для проекта нужен общий адрес, читают и отвечают пять человек.',
          finding: 'Имя соответствует правилам.',
          fix: 'Создано, участники увидят в течение часа.',
        },
      },
      {
        en: {
          subjects: ['Add colleagues to a distribution list'],
          description: 'Please add the colleagues from the attached list.',
          finding: 'The owner of the list agreed.',
          fix: 'Added; they get mail from now on.',
        },
        ru: {
          subjects: ['Добавить коллег в рассылку'],
          description: 'Прошу добавить коллег из приложенного списка.',
          finding: 'Владелец рассылки согласен.',
          fix: 'Добавлены, письма будут приходить.',
        },
      },
      {
        en: {
          subjects: ['New distribution list'],
          description: 'One list for everybody on floor {floor}, please.',
          finding: 'Name follows the naming rule.',
          fix: 'Created; members see it within an hour.',
        },
        ru: {
          subjects: ['Новая рассылка'],
          description: 'Нужна одна рассылка для всего {floor} этажа.',
          finding: 'Имя соответствует правилам.',
          fix: 'Создано, участники увидят в течение часа.',
        },
      },
      {
        en: {
          subjects: ['Larger mailbox'],
          description: 'My mailbox is for tenders with drawings; 20 GB are not enough.',
          finding: '80 % are attachments of more than 10 MB.',
          fix: 'Raised to 40 GB, the archive is switched on.',
        },
        ru: {
          subjects: ['Увеличить почтовый ящик'],
          description: 'Ящик для тендеров с чертежами, 20 ГБ не хватает.',
          finding: '80 % занимают вложения больше 10 МБ.',
          fix: 'Увеличен до 40 ГБ, подключён архив.',
        },
      },
    ],
  },
  {
    category: 'network',
    team: 'network',
    service: 'vpn',
    weight: 4,
    price: '',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['VPN for work from home'],
          description: 'From next month I work from home on two days. Please set up VPN on {asset}.',
          finding: 'The laptop has disk encryption and the protection agent.',
          fix: 'Set up and tested together with the caller.',
        },
        ru: {
          subjects: ['VPN для работы из дома'],
          description: 'Со следующего месяца два дня работаю из дома. Прошу настроить VPN на {asset}.',
          finding: 'На ноутбуке есть шифрование диска и агент защиты.',
          fix: 'Настроено, проверено вместе с заявителем.',
        },
      },
      {
        en: {
          subjects: ['Guest Wi-Fi for {count} visitors'],
          description: 'We have {count} visitors in {room} next week who need internet.',
          finding: 'Codes are valid from eight to eight.',
          fix: 'Printed codes are at the reception.',
        },
        ru: {
          subjects: ['Гостевой Wi-Fi на {count} человек'],
          description: 'На следующей неделе в {room} будет {count} гостей, нужен интернет.',
          finding: 'Коды действуют с восьми до восьми.',
          fix: 'Распечатанные коды на ресепшене.',
        },
      },
      {
        en: {
          subjects: ["VPN for a partner's engineer"],
          description: 'An engineer of the supplier maintains the machine remotely on Thursdays.',
          finding: 'Approval of information security is needed for partners.',
          fix: 'Set up and tested together with the caller.',
        },
        ru: {
          subjects: ['VPN для инженера подрядчика'],
          description: 'Инженер поставщика по четвергам обслуживает станок удалённо.',
          finding: 'Для подрядчика нужно согласование безопасности.',
          fix: 'Настроено, проверено вместе с заявителем.',
        },
      },
      {
        en: {
          subjects: ['Open a port for a measuring instrument'],
          description: 'The instrument in the laboratory sends its data to {host}; please let it through.',
          finding: 'One address and one port are enough.',
          fix: 'Set up and tested together with the caller.',
        },
        ru: {
          subjects: ['Открыть порт для измерительного прибора'],
          description: 'Прибор в лаборатории передаёт данные на {host}, прошу пропустить.',
          finding: 'Достаточно одного адреса и одного порта.',
          fix: 'Настроено, проверено вместе с заявителем.',
        },
      },
    ],
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'mobile',
    weight: 4,
    price: '310.00',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['Company phone'],
          description: 'I am on the road three days a week and need a company phone.',
          finding: 'In stock.',
          fix: 'Phone and SIM card handed over.',
        },
        ru: {
          subjects: ['Служебный телефон'],
          description: 'Три дня в неделю в разъездах, нужен служебный телефон.',
          finding: 'Есть на складе.',
          fix: 'Телефон и SIM-карта выданы.',
        },
      },
      {
        en: {
          subjects: ['Hunt group for the department'],
          description: 'Our department wants one number that rings at four desks, {ext} would be good.',
          finding: 'Number {ext} is free.',
          fix: 'Done; tested with a call.',
        },
        ru: {
          subjects: ['Общий номер для отдела'],
          description: 'Отделу нужен один номер на четыре рабочих места, подойдёт {ext}.',
          finding: 'Номер {ext} свободен.',
          fix: 'Готово, проверено звонком.',
        },
      },
      {
        en: {
          subjects: ['SIM card with roaming'],
          description: 'I am on a business trip for two weeks and need calls and data abroad.',
          finding: 'The package for 14 days is the cheapest.',
          fix: 'Package ordered, works from the first day.',
        },
        ru: {
          subjects: ['SIM-карта с роумингом'],
          description: 'На две недели еду в командировку за границу, нужны звонки и интернет.',
          finding: 'Дешевле всего пакет на 14 дней.',
          fix: 'Пакет подключён, действует с первого дня.',
        },
      },
      {
        en: {
          subjects: ['Move number {ext} to another desk'],
          description: 'I have moved to {socket}; my number {ext} should follow.',
          finding: 'The socket has the right port profile.',
          fix: 'Done; tested with a call.',
        },
        ru: {
          subjects: ['Перенести номер {ext} на другое место'],
          description: 'Место теперь {socket}, номер {ext} надо перенести туда.',
          finding: 'На розетке верный профиль порта.',
          fix: 'Готово, проверено звонком.',
        },
      },
    ],
  },
  {
    category: 'hardware',
    team: 'workplace',
    service: 'laptop',
    weight: 4,
    price: '',
    needsApproval: false,
    cases: [
      {
        en: {
          subjects: ['Move of a workplace to floor {floor}', 'Move of {count} workplaces at the weekend'],
          description: 'We move on Friday evening. Computers, phones and the printer {printer} go with us.',
          finding: 'Sockets on floor {floor} checked, two need patching.',
          fix: 'Moved, connected, everything tested.',
        },
        ru: {
          subjects: ['Переезд рабочего места на {floor} этаж', 'Переезд {count} рабочих мест на выходных'],
          description: 'Переезжаем в пятницу вечером: компьютеры, телефоны и принтер {printer}.',
          finding: 'Розетки {floor} этажа проверены, две надо скроссировать.',
          fix: 'Перевезено, подключено, проверено.',
        },
      },
      {
        en: {
          subjects: ['Equipment for a presentation in {room}'],
          description: 'We need a computer and a second screen in {room} from {soon}.',
          finding: 'A spare computer is free.',
          fix: 'Set up and tested half an hour before.',
        },
        ru: {
          subjects: ['Оборудование для показа в переговорной {room}'],
          description: 'С {soon} нужен компьютер и второй экран в переговорной {room}.',
          finding: 'Свободен запасной компьютер.',
          fix: 'Установлено и проверено за полчаса.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'servers',
    service: 'backup',
    weight: 3,
    price: '',
    needsApproval: false,
    cases: [
      {
        en: {
          subjects: ['Restore a file from last week'],
          description: 'I overwrote a table in {share}. The version of last Thursday would be right.',
          finding: 'The copy of that night is complete.',
          fix: 'Restored beside the original, the caller took it over.',
        },
        ru: {
          subjects: ['Восстановить файл за прошлую неделю'],
          description: 'Случайно перезаписана таблица в {share}. Нужна версия за прошлый четверг.',
          finding: 'Копия за ту ночь полная.',
          fix: 'Восстановлено рядом с оригиналом, заявитель забрал.',
        },
      },
      {
        en: {
          subjects: ['Restore the folder {share} as of {time}'],
          description: 'Please restore the whole folder {share}: somebody has sorted it anew and half is missing.',
          finding: 'The copy of that night is complete.',
          fix: 'Restored beside the original, the caller took it over.',
        },
        ru: {
          subjects: ['Восстановить папку {share} на {time}'],
          description: 'Прошу восстановить всю папку {share}: её пересортировали, половины нет.',
          finding: 'Копия за ту ночь полная.',
          fix: 'Восстановлено рядом с оригиналом, заявитель забрал.',
        },
      },
      {
        en: {
          subjects: ['More space for {share}'],
          description: '{share} is full, every week brings recordings; {size} GB more, please.',
          finding: 'There is space in the store.',
          fix: 'Quota raised.',
        },
        ru: {
          subjects: ['Больше места для {share}'],
          description: 'Папка {share} заполнена, каждую неделю добавляются записи; прошу ещё {size} ГБ.',
          finding: 'Место в хранилище есть.',
          fix: 'Квота увеличена.',
        },
      },
      {
        en: {
          subjects: ['Test copy of a database'],
          description: 'For the tests of the update we need a fresh copy with masked names.',
          finding: 'Masking takes four hours.',
          fix: 'The copy is on the test server, names are masked.',
        },
        ru: {
          subjects: ['Тестовая копия базы'],
          description: 'Для проверки обновления нужна свежая копия с обезличенными именами.',
          finding: 'Обезличивание займёт четыре часа.',
          fix: 'Копия на тестовом сервере, имена обезличены.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'erp',
    weight: 4,
    price: '',
    needsApproval: true,
    cases: [
      {
        en: {
          subjects: ['New report in ERP'],
          description: 'We count by hand what ERP could show: orders by region and week.',
          finding: 'Estimated with the analyst.',
          fix: 'Done on the test system, accepted, transferred.',
        },
        ru: {
          subjects: ['Новый отчёт в ERP'],
          description: 'Считаем вручную то, что мог бы показать ERP: заказы по регионам и неделям.',
          finding: 'Оценено с аналитиком.',
          fix: 'Сделано на тестовой базе, принято, перенесено.',
        },
      },
      {
        en: {
          subjects: ['Change the approver in ERP'],
          description: 'Our approver changed on the first of the month, documents still go to the old one.',
          finding: 'Nine documents wait for the former approver.',
          fix: 'Approver changed, waiting documents handed over.',
        },
        ru: {
          subjects: ['Сменить согласующего в ERP'],
          description: 'С первого числа сменился согласующий, документы идут прежнему.',
          finding: 'Девять документов ждут прежнего согласующего.',
          fix: 'Согласующий сменён, ожидающие документы переданы.',
        },
      },
      {
        en: {
          subjects: ['Additional field in the order form'],
          description: 'We need the delivery window in the order; today it stands in the comment.',
          finding: 'Estimated with the analyst.',
          fix: 'Done on the test system, accepted, transferred.',
        },
        ru: {
          subjects: ['Дополнительное поле в заказе'],
          description: 'В заказе нужно окно доставки, сейчас пишем его в комментарий.',
          finding: 'Оценено с аналитиком.',
          fix: 'Сделано на тестовой базе, принято, перенесено.',
        },
      },
      {
        en: {
          subjects: ['Training for ERP: {count} people'],
          description: '{count} new colleagues need the basics: orders, receipts, reports.',
          finding: 'The trainer is free from Tuesday.',
          fix: 'Training held, records of attendance are with HR.',
        },
        ru: {
          subjects: ['Обучение ERP: {count} чел.'],
          description: 'Новым сотрудникам ({count} чел.) нужны основы: заказы, поступления, отчёты.',
          finding: 'Преподаватель свободен со вторника.',
          fix: 'Обучение проведено, списки переданы в кадры.',
        },
      },
    ],
  },
]
