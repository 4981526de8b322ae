import type { Topic } from './topic.ts'

export const applicationTopics: readonly Topic[] = [
  {
    category: 'business_app',
    team: 'erp',
    service: 'erp',
    weight: 8,
    cases: [
      {
        en: {
          subjects: ['ERP: posting of document {doc} fails'],
          description: 'When I post {doc} the system answers {code}. Other documents of the same day can be posted.',
          finding: '{doc} refers to a contract that is closed since the last day of the previous month.',
          fix: 'The contract was reopened for a day by the owner, {doc} is posted.',
        },
        ru: {
          subjects: ['ERP: не проводится документ {doc}'],
          description: 'При проведении {doc} система отвечает {code}. Другие документы за тот же день проводятся.',
          finding: '{doc} ссылается на договор, закрытый последним днём прошлого месяца.',
          fix: 'Владелец открыл договор на день, {doc} проведён.',
        },
      },
      {
        en: {
          subjects: ['ERP: cannot close the period'],
          description:
            'We want to close the month, the check shows two documents without an account that nobody can open.',
          finding: 'A background job that fills the accounts stopped at {time}.',
          fix: 'Restarted the job, checked that accounts are filled; the period is closed.',
        },
        ru: {
          subjects: ['ERP: не закрывается период'],
          description: 'Закрываем месяц, проверка показывает два документа без счёта, которые никто не может открыть.',
          finding: 'Фоновое задание, которое заполняет счета, остановилось в {time}.',
          fix: 'Задание перезапущено, счета заполнены, период закрыт.',
        },
      },
      {
        en: {
          subjects: ['ERP: stock of an item is negative'],
          description: 'The balance of one item is minus {count}, although the goods lie on the shelf.',
          finding: 'Two sessions wrote the same batch; the lock was released too early.',
          fix: 'Corrected the batch with a document, the error is known to the supplier.',
        },
        ru: {
          subjects: ['ERP: отрицательный остаток номенклатуры'],
          description: 'Остаток позиции минус {count}, хотя товар лежит на полке.',
          finding: 'Два сеанса записали одну партию, блокировка снята раньше времени.',
          fix: 'Партия исправлена документом, ошибка известна поставщику.',
        },
      },
      {
        en: {
          subjects: ['ERP shows {code} when creating an order'],
          description: 'When I save a new order the system answers {code}; an order for another customer goes through.',
          finding: 'The check of the credit limit fails on customers without a currency.',
          fix: 'Currency set for 12 customers, orders are saved.',
        },
        ru: {
          subjects: ['ERP выдаёт {code} при создании заказа'],
          description: 'При записи нового заказа система отвечает {code}; заказ другого клиента проходит.',
          finding: 'Проверка кредитного лимита падает на клиентах без валюты.',
          fix: 'Валюта указана у 12 клиентов, заказы записываются.',
        },
      },
      {
        en: {
          subjects: ['ERP: duplicate customer records'],
          description: 'One customer stands in the list three times, payments land on different ones.',
          finding: 'The exchange with CRM makes a new customer when the tax number has a space in it.',
          fix: 'Merged the records, spaces are removed on exchange.',
        },
        ru: {
          subjects: ['ERP: двоятся контрагенты'],
          description: 'Один клиент стоит в списке трижды, оплаты попадают на разные записи.',
          finding: 'Обмен с CRM создаёт нового контрагента, если в ИНН есть пробел.',
          fix: 'Записи объединены, при обмене пробелы убираются.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'erp',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['ERP is very slow'],
          description: 'Every click takes ten seconds since {time}, in the whole department.',
          finding: 'A report without a date filter holds the database at its limit.',
          fix: 'Ended the report, put a mandatory filter on it.',
        },
        ru: {
          subjects: ['ERP очень медленно работает'],
          description: 'С {time} каждое действие занимает десять секунд, у всего отдела.',
          finding: 'Отчёт без отбора по дате держит базу на пределе.',
          fix: 'Отчёт снят, отбор по дате сделан обязательным.',
        },
      },
      {
        en: {
          subjects: ['ERP report runs for an hour'],
          description: 'The turnover report usually takes two minutes, today it runs for an hour and stops.',
          finding: "Statistics of the movements table are old after the weekend's load.",
          fix: 'Refreshed the statistics, the report takes two minutes again.',
        },
        ru: {
          subjects: ['Отчёт ERP строится больше часа'],
          description: 'Оборотная ведомость обычно строится две минуты, сегодня идёт час и обрывается.',
          finding: 'После загрузки на выходных устарела статистика таблицы движений.',
          fix: 'Статистика обновлена, отчёт снова строится две минуты.',
        },
      },
      {
        en: {
          subjects: ['ERP print form lost the logo'],
          description: 'Since the update invoices are printed without our logo and with other margins.',
          finding: 'Print form was replaced by the standard one in the update.',
          fix: 'Brought back our print form.',
        },
        ru: {
          subjects: ['В печатной форме ERP пропал логотип'],
          description: 'После обновления счета печатаются без логотипа и с другими полями.',
          finding: 'При обновлении печатная форма заменена типовой.',
          fix: 'Наша печатная форма возвращена.',
        },
      },
      {
        en: {
          subjects: ['ERP: export to a spreadsheet is empty'],
          description: 'The export gives a file with headings only.',
          finding: 'The export runs with the rights of the person, the region filter excludes everything.',
          fix: 'Corrected the region of the person, the file is complete.',
        },
        ru: {
          subjects: ['ERP: пустая выгрузка в таблицу'],
          description: 'Выгрузка даёт файл только с заголовками.',
          finding: 'Выгрузка идёт с правами сотрудника, отбор по региону исключает всё.',
          fix: 'Регион сотрудника исправлен, файл полный.',
        },
      },
      {
        en: {
          subjects: ['ERP client does not start on {asset}'],
          description: 'The ERP client on {asset} shows its window and closes, {code}.',
          finding: 'The cache is of the old version.',
          fix: 'Cleared the cache.',
        },
        ru: {
          subjects: ['Не запускается клиент ERP на {asset}'],
          description: 'Клиент ERP на {asset} показывает заставку и закрывается, {code}.',
          finding: 'Кэш от старой версии.',
          fix: 'Кэш очищен.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'payroll',
    weight: 3,
    cases: [
      {
        en: {
          subjects: ['Timesheet cannot be submitted'],
          description: 'The button Submit stays grey, all days are filled.',
          finding: 'One day has 25 hours because of two overlapping entries.',
          fix: 'Corrected the overlapping entry, timesheet submitted.',
        },
        ru: {
          subjects: ['Не отправляется табель'],
          description: 'Кнопка «Отправить» неактивна, все дни заполнены.',
          finding: 'В одном дне 25 часов из-за двух пересекающихся записей.',
          fix: 'Пересекающаяся запись исправлена, табель отправлен.',
        },
      },
      {
        en: {
          subjects: ['Vacation days are counted wrongly'],
          description: 'According to the portal I have 3 days left, by my count 11.',
          finding: 'Carry-over of last year was not imported for this person.',
          fix: 'Carry-over entered by HR, the count is right.',
        },
        ru: {
          subjects: ['Неверно посчитаны дни отпуска'],
          description: 'По порталу осталось 3 дня отпуска, по моему расчёту 11.',
          finding: 'Для сотрудника не перенесён остаток прошлого года.',
          fix: 'Кадры внесли остаток, расчёт верный.',
        },
      },
      {
        en: {
          subjects: ['Payslip is missing for last month'],
          description: 'Colleagues have their payslips since the 5th, mine is not there.',
          finding: 'The payslip was made but not published: bank details changed after the closing.',
          fix: 'Published by payroll.',
        },
        ru: {
          subjects: ['Нет расчётного листка за прошлый месяц'],
          description: 'У коллег расчётные листки с пятого числа, у меня нет.',
          finding: 'Листок сформирован, но не опубликован: реквизиты изменились после закрытия.',
          fix: 'Опубликован расчётной группой.',
        },
      },
      {
        en: {
          subjects: ['Timesheet shows {code} for a day of business trip'],
          description: 'For the day of my business trip the timesheet shows {code}, whatever I choose.',
          finding: 'The order for the trip is not signed yet.',
          fix: 'Order signed, the day is accepted.',
        },
        ru: {
          subjects: ['Табель выдаёт {code} за день командировки'],
          description: 'За день командировки табель показывает {code}, что бы я ни выбрал[|а].',
          finding: 'Приказ о командировке ещё не подписан.',
          fix: 'Приказ подписан, день принимается.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'edi',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Electronic signature is not accepted'],
          description: 'When I sign {doc} the program does not find the certificate. The token is inserted.',
          finding: "The token's driver was removed by the update on {asset}.",
          fix: 'Installed the driver, {doc} is signed.',
        },
        ru: {
          subjects: ['Не принимается электронная подпись'],
          description: 'При подписании {doc} программа не находит сертификат. Токен вставлен.',
          finding: 'Обновление удалило драйвер токена на {asset}.',
          fix: 'Драйвер установлен, {doc} подписан.',
        },
      },
      {
        en: {
          subjects: ['Invoice {doc} was not delivered to the partner'],
          description: 'The partner does not see our invoice {doc}, in our system it is "sent".',
          finding: 'The partner changed the operator, the invitation is not accepted yet.',
          fix: 'Sent a new invitation, the partner accepted, the invoice arrived.',
        },
        ru: {
          subjects: ['Счёт {doc} не доставлен контрагенту'],
          description: 'Контрагент не видит наш счёт {doc}, у нас статус «отправлен».',
          finding: 'Контрагент сменил оператора, приглашение ещё не принято.',
          fix: 'Отправлено новое приглашение, контрагент принял, счёт доставлен.',
        },
      },
      {
        en: {
          subjects: ['Signature certificate expires in {count} days'],
          description: 'The program warns that my signature certificate expires in {count} days. What do I have to do?',
          finding: 'Person and powers are unchanged, renewal without a visit is possible.',
          fix: 'Renewed remotely, the new certificate is on {asset}.',
        },
        ru: {
          subjects: ['Сертификат подписи истекает через {count} дн.'],
          description: 'Программа предупреждает, что сертификат подписи истекает через {count} дн. Что мне сделать?',
          finding: 'Сотрудник и полномочия не менялись, можно продлить без визита.',
          fix: 'Продлён дистанционно, новый сертификат установлен на {asset}.',
        },
      },
      {
        en: {
          subjects: ['Exchange with the partner stopped, {code}'],
          description: 'Since {time} no documents come from the partner, our side shows {code}.',
          finding: 'The link between our operator and theirs is down, the operator confirms it.',
          fix: 'The link is back, 43 documents came in.',
        },
        ru: {
          subjects: ['Остановился обмен с контрагентом, {code}'],
          description: 'С {time} от контрагента не приходят документы, у нас {code}.',
          finding: 'Нет связи между нашим и их оператором, оператор подтвердил.',
          fix: 'Связь восстановлена, пришли 43 документа.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'crm',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['CRM: customer card does not open'],
          description: 'The card of one customer opens with {code}, others are fine. We visit them tomorrow.',
          finding: 'The card has a contact without a company after an import.',
          fix: 'Repaired the contact, checked the import for more such rows.',
        },
        ru: {
          subjects: ['CRM: не открывается карточка клиента'],
          description: 'Карточка одного клиента открывается с {code}, остальные в порядке. Завтра у нас встреча.',
          finding: 'После загрузки в карточке контакт без компании.',
          fix: 'Контакт исправлен, загрузка проверена на такие строки.',
        },
      },
      {
        en: {
          subjects: ['CRM: mail is not attached to the deal'],
          description: 'Since {time} mails to customers are no longer in the history of the deal.',
          finding: 'The mail connector lost its permission at the password change.',
          fix: 'Connected the mailbox again, missing mails were added.',
        },
        ru: {
          subjects: ['CRM: письма не привязываются к сделке'],
          description: 'С {time} письма клиентам не попадают в историю сделки.',
          finding: 'Почтовый коннектор потерял разрешение при смене пароля.',
          fix: 'Ящик подключён заново, пропущенные письма добавлены.',
        },
      },
      {
        en: {
          subjects: ['CRM: cannot change the owner of a deal'],
          description: 'A colleague left, I have to take over her deals and the field is grey.',
          finding: 'The field is locked while the former owner is inactive.',
          fix: 'Changed the owner of 37 deals in bulk.',
        },
        ru: {
          subjects: ['CRM: нельзя сменить ответственного по сделке'],
          description: 'Коллега уволилась, мне передали её сделки, а поле ответственного недоступно.',
          finding: 'Поле закрыто, пока прежний ответственный неактивен.',
          fix: 'Ответственный по 37 сделкам сменён списком.',
        },
      },
      {
        en: {
          subjects: ['CRM: pipeline shows old figures'],
          description: 'The pipeline shows figures of last week, my three new deals are missing.',
          finding: 'Figures come from the nightly load, which failed.',
          fix: 'Repeated the load, figures are of today.',
        },
        ru: {
          subjects: ['CRM: воронка показывает старые данные'],
          description: 'Воронка показывает прошлую неделю, трёх моих новых сделок нет.',
          finding: 'Данные приходят ночной загрузкой, она не прошла.',
          fix: 'Загрузка повторена, данные сегодняшние.',
        },
      },
      {
        en: {
          subjects: ['CRM mobile app signs out'],
          description: 'The mobile app of CRM wants a new sign-in every morning.',
          finding: 'A mobile session lives for 12 hours since the last change.',
          fix: 'Set to 30 days with a device lock, agreed with security.',
        },
        ru: {
          subjects: ['Мобильное приложение CRM просит войти заново'],
          description: 'Мобильное приложение CRM каждое утро просит войти.',
          finding: 'С последнего изменения мобильный сеанс живёт 12 часов.',
          fix: 'Установлено 30 дней при блокировке устройства, согласовано с безопасностью.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'wms',
    weight: 5,
    cases: [
      {
        en: {
          subjects: ['Handheld terminal does not read barcodes'],
          description: 'Terminal reads about every fifth barcode. Trucks are waiting.',
          finding: 'The window of the scanner is scratched; in the test it misreads.',
          fix: 'Gave out a spare terminal, the other one goes to repair.',
        },
        ru: {
          subjects: ['Терминал сбора данных не читает штрихкоды'],
          description: 'Терминал читает примерно каждый пятый штрихкод. Машины ждут.',
          finding: 'Окно сканера поцарапано, на проверке ошибки чтения.',
          fix: 'Выдан запасной терминал, этот отправлен в ремонт.',
        },
      },
      {
        en: {
          subjects: ['WMS: pallet {doc} hangs in receiving'],
          description: 'The pallet {doc} was received at {time} but cannot be put away, {code}.',
          finding: 'The receiving task was opened on two terminals.',
          fix: 'Closed the second task, the pallet is in its place.',
        },
        ru: {
          subjects: ['WMS: паллета {doc} зависла на приёмке'],
          description: 'Паллета {doc} принята в {time}, но не размещается, {code}.',
          finding: 'Задание приёмки открыто на двух терминалах.',
          fix: 'Второе задание закрыто, паллета на месте.',
        },
      },
      {
        en: {
          subjects: ['Warehouse terminal loses the connection at gate {floor}'],
          description: 'At gate {floor} all terminals lose the connection when a truck stands there.',
          finding: 'No coverage at gate {floor} when the door is closed by a truck.',
          fix: 'Added an access point above gate {floor}.',
        },
        ru: {
          subjects: ['Терминалы теряют связь у ворот {floor}'],
          description: 'У ворот {floor} все терминалы теряют связь, когда стоит машина.',
          finding: 'Когда ворота {floor} закрыты машиной, там нет покрытия.',
          fix: 'Над воротами {floor} добавлена точка доступа.',
        },
      },
      {
        en: {
          subjects: ['WMS: labels print in the wrong size'],
          description: 'Labels come out at half size since {time}, the scanner at the gate cannot read them.',
          finding: 'The driver took the paper size of the test printer.',
          fix: 'Corrected the size, 200 labels printed again.',
        },
        ru: {
          subjects: ['WMS: этикетки печатаются не того размера'],
          description: 'С {time} этикетки вдвое меньше, сканер у ворот их не читает.',
          finding: 'Драйвер взял размер бумаги тестового принтера.',
          fix: 'Размер исправлен, 200 этикеток перепечатаны.',
        },
      },
      {
        en: {
          subjects: ['WMS: picking list is empty'],
          description: 'The picking list for route {floor} is empty, in ERP there are {count} orders.',
          finding: 'Orders hang in the exchange: one has an unknown unit.',
          fix: 'Corrected the unit, the list is complete.',
        },
        ru: {
          subjects: ['WMS: пустой лист отбора'],
          description: 'Лист отбора по маршруту {floor} пуст, в ERP {count} заказов.',
          finding: 'Заказы стоят в обмене: у одного неизвестная единица измерения.',
          fix: 'Единица исправлена, лист полный.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'archive',
    weight: 3,
    cases: [
      {
        en: {
          subjects: ['Archive: contract {doc} is not found'],
          description:
            'The contract {doc} was filed in spring, search finds nothing, neither by number nor by partner.',
          finding: 'The contract was filed under another type of document.',
          fix: 'Corrected the type, {doc} is found.',
        },
        ru: {
          subjects: ['Архив: не находится договор {doc}'],
          description: 'Договор {doc} сдали в архив весной, поиск не находит ни по номеру, ни по контрагенту.',
          finding: 'Договор сохранён под другим видом документа.',
          fix: 'Вид исправлен, {doc} находится.',
        },
      },
      {
        en: {
          subjects: ['Archive: upload stops at {size} MB'],
          description: 'Upload of a scanned file of {size} MB stops at the end with {code}.',
          finding: 'Limit of the upload gateway is lower than that of the archive.',
          fix: 'Raised the limit of the gateway.',
        },
        ru: {
          subjects: ['Архив: загрузка обрывается на {size} МБ'],
          description: 'Загрузка скана на {size} МБ обрывается в конце с {code}.',
          finding: 'Предел шлюза загрузки ниже, чем у архива.',
          fix: 'Предел шлюза увеличен.',
        },
      },
      {
        en: {
          subjects: ['Archive: wrong retention period'],
          description: 'The contract is marked for destruction this year, though it is in force until the next.',
          finding: 'The period counts from the signing instead of from the end.',
          fix: 'Corrected the rule for this type, 18 contracts recalculated.',
        },
        ru: {
          subjects: ['Архив: неверный срок хранения'],
          description: 'Договор помечен к уничтожению в этом году, хотя действует до следующего.',
          finding: 'Срок считается от подписания, а не от окончания.',
          fix: 'Правило для вида исправлено, 18 договоров пересчитаны.',
        },
      },
      {
        en: {
          subjects: ['Archive: preview stays empty'],
          description: 'The preview of documents stays empty, downloading works.',
          finding: 'The preview service does not know the new format of scans.',
          fix: 'Service updated.',
        },
        ru: {
          subjects: ['Архив: пустой предпросмотр'],
          description: 'Предпросмотр документов пустой, скачивание работает.',
          finding: 'Служба предпросмотра не знает новый формат сканов.',
          fix: 'Служба обновлена.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'intranet',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Intranet page shows {code}'],
          description: 'The page of our department answers {code} since {time}.',
          finding: 'A page component refers to a list that was deleted yesterday.',
          fix: 'Restored the list from the recycle bin.',
        },
        ru: {
          subjects: ['Страница портала показывает {code}'],
          description: 'Страница нашего отдела с {time} отвечает {code}.',
          finding: 'Компонент страницы ссылается на список, который вчера удалили.',
          fix: 'Список восстановлен из корзины.',
        },
      },
      {
        en: {
          subjects: ['Phone directory has my old number'],
          description: 'In the directory I still have the number of my old office; customers complain.',
          finding: 'Directory takes numbers from HR once a week.',
          fix: 'Corrected the number in HR and started the transfer by hand.',
        },
        ru: {
          subjects: ['В справочнике старый номер телефона'],
          description: 'В справочнике остался номер старого кабинета, клиенты жалуются.',
          finding: 'Справочник берёт номера из кадровой системы раз в неделю.',
          fix: 'Номер исправлен в кадровой системе, передача запущена вручную.',
        },
      },
      {
        en: {
          subjects: ['Form for a pass does not open'],
          description: "The form for a visitor's pass does not open, I see a blank page.",
          finding: 'The form uses an address that the new protection blocks.',
          fix: 'Address allowed, the form opens.',
        },
        ru: {
          subjects: ['Не открывается форма заказа пропуска'],
          description: 'Форма заказа пропуска для посетителя не открывается, пустая страница.',
          finding: 'Форма обращается к адресу, который блокирует новая защита.',
          fix: 'Адрес разрешён, форма открывается.',
        },
      },
      {
        en: {
          subjects: ['News page loads without pictures'],
          description: 'News come without pictures, in the office and at home.',
          finding: 'The store of pictures has no space.',
          fix: 'Old pictures archived, news are complete.',
        },
        ru: {
          subjects: ['Новости загружаются без картинок'],
          description: 'Новости без картинок, и в офисе, и дома.',
          finding: 'В хранилище картинок нет места.',
          fix: 'Старые картинки в архиве, новости полные.',
        },
      },
    ],
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'bi',
    weight: 3,
    cases: [
      {
        en: {
          subjects: ["Dashboard shows yesterday's data"],
          description: 'The morning dashboard still shows the figures of yesterday. The board meets at {soon}.',
          finding: 'The nightly load waited for ERP, which closed the day later than usual.',
          fix: 'Started the load by hand, figures are current.',
        },
        ru: {
          subjects: ['Дашборд показывает вчерашние данные'],
          description: 'Утренний дашборд показывает вчерашние цифры, а в {soon} правление.',
          finding: 'Ночная загрузка ждала ERP, который закрыл день позже обычного.',
          fix: 'Загрузка запущена вручную, данные актуальные.',
        },
      },
      {
        en: {
          subjects: ['Sales dashboard differs from ERP by {count} orders'],
          description: 'Turnover in the dashboard and in ERP differs by {count} orders for the same day.',
          finding: 'Orders that were posted after midnight go to the next day in one of the systems.',
          fix: 'Unified the time zone of both; figures agree.',
        },
        ru: {
          subjects: ['Дашборд продаж расходится с ERP на {count} заказов'],
          description: 'Оборот в дашборде и в ERP за один день расходится на {count} заказов.',
          finding: 'Заказы, проведённые после полуночи, в одной из систем попадают на следующий день.',
          fix: 'Часовой пояс приведён к одному, цифры совпадают.',
        },
      },
      {
        en: {
          subjects: ['Scheduled report did not arrive'],
          description: 'The Monday report that comes by mail did not arrive, for nobody on the list.',
          finding: 'The owner of the schedule left the company on Friday.',
          fix: "Schedule handed to the department's account, the report is sent.",
        },
        ru: {
          subjects: ['Не пришёл отчёт по расписанию'],
          description: 'Понедельничный отчёт не пришёл на почту никому из списка.',
          finding: 'Владелец расписания в пятницу уволился.',
          fix: 'Расписание передано учётной записи отдела, отчёт отправлен.',
        },
      },
      {
        en: {
          subjects: ['Dashboard opens for a minute'],
          description: 'The dashboard needs a minute to open, last week it took seconds.',
          finding: 'A new chart asks for all orders of six years.',
          fix: 'The chart reads monthly totals now, two seconds.',
        },
        ru: {
          subjects: ['Дашборд открывается минуту'],
          description: 'Дашборд открывается минуту, на прошлой неделе секунды.',
          finding: 'Новый график запрашивает заказы за шесть лет.',
          fix: 'График читает месячные итоги, две секунды.',
        },
      },
    ],
  },
]
