import type { Topic } from './topic.ts'

export const workplaceTopics: readonly Topic[] = [
  {
    category: 'printing',
    team: 'workplace',
    service: 'printing',
    weight: 7,
    cases: [
      {
        en: {
          subjects: ['Printer {printer} jams'],
          description: '{printer} jams at every second sheet. We took the paper out, it jams again.',
          finding: 'Feed rollers of {printer} are worn, counter above 180,000 pages.',
          fix: 'Replaced the rollers, printed 50 test pages without a jam.',
        },
        ru: {
          subjects: ['Принтер {printer} зажёвывает бумагу'],
          description: '{printer} заминает каждый второй лист. Бумагу вынимали, замятие повторяется.',
          finding: 'Ролики подачи {printer} изношены, счётчик больше 180 000 страниц.',
          fix: 'Ролики заменены, отпечатано 50 проверочных страниц без замятий.',
        },
      },
      {
        en: {
          subjects: ['{printer}: paper jam, error {code}'],
          description: '{printer} jams at every second sheet. We took the paper out, it jams again.',
          finding: 'Paper of another weight in tray 2.',
          fix: 'Set the tray to the paper that is used on floor {floor}.',
        },
        ru: {
          subjects: ['{printer}: замятие бумаги, ошибка {code}'],
          description: '{printer} заминает каждый второй лист. Бумагу вынимали, замятие повторяется.',
          finding: 'Во втором лотке бумага другой плотности.',
          fix: 'Лоток настроен на бумагу, которой пользуются на {floor} этаже.',
        },
      },
      {
        en: {
          subjects: ['Printer on floor {floor} prints stripes'],
          description: 'Black stripes on every page from {printer}. Invoices for customers cannot be sent like this.',
          finding: 'Drum at the end of its life, {code}.',
          fix: 'Replaced drum and toner, ordered one for stock.',
        },
        ru: {
          subjects: ['Принтер на {floor} этаже печатает полосами'],
          description: 'На каждой странице с {printer} чёрные полосы. Счета в таком виде клиентам не отправить.',
          finding: 'Барабан выработал ресурс, {code}.',
          fix: 'Заменены барабан и тонер, один комплект заказан в запас.',
        },
      },
      {
        en: {
          subjects: ['{printer} is out of toner'],
          description: 'The printer says that toner is low since last week; now it does not print at all.',
          finding: 'Toner at 2 %, no spare on the floor.',
          fix: 'Put in a new toner, ordered one for stock.',
        },
        ru: {
          subjects: ['В {printer} закончился тонер'],
          description: 'Принтер неделю писал, что тонер заканчивается, теперь не печатает совсем.',
          finding: 'Тонера 2 %, запасного на этаже нет.',
          fix: 'Установлен новый тонер, один заказан в запас.',
        },
      },
      {
        en: {
          subjects: ['Printouts from {printer} are too pale'],
          description: 'Pages from {printer} get paler from day to day, copies can hardly be read.',
          finding: 'Drum at the end of its life, {code}.',
          fix: 'Replaced drum and toner, ordered one for stock.',
        },
        ru: {
          subjects: ['Бледная печать на {printer}'],
          description: 'Страницы с {printer} с каждым днём бледнее, копии почти не читаются.',
          finding: 'Барабан выработал ресурс, {code}.',
          fix: 'Заменены барабан и тонер, один комплект заказан в запас.',
        },
      },
    ],
  },
  {
    category: 'printing',
    team: 'first-line',
    service: 'printing',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['Cannot print to {printer}', 'Documents hang in the print queue'],
          description: 'Everything I print to {printer} stays in the queue. My colleague prints to it without trouble.',
          finding: 'Driver on {asset} is damaged, spooler stops with {code}.',
          fix: 'Reinstalled the driver and connected the queue again; test page printed.',
        },
        ru: {
          subjects: ['Не печатает на {printer}', 'Документы висят в очереди печати'],
          description: 'Всё, что отправляю на {printer}, остаётся в очереди. У коллеги печатает без проблем.',
          finding: 'На {asset} повреждён драйвер, служба печати останавливается с {code}.',
          fix: 'Драйвер переустановлен, очередь подключена заново, пробная страница вышла.',
        },
      },
      {
        en: {
          subjects: ['{printer} is shown as offline'],
          description: 'After the Windows update {printer} has disappeared from my list.',
          finding: 'Queue for {printer} moved to the new print server; the old one is still connected.',
          fix: 'Connected the queue of the new server, removed the old.',
        },
        ru: {
          subjects: ['{printer} показан как отключённый'],
          description: 'После обновления {printer} пропал из списка.',
          finding: 'Очередь {printer} переехала на новый сервер печати, подключена старая.',
          fix: 'Подключена очередь нового сервера, старая удалена.',
        },
      },
      {
        en: {
          subjects: ['Badge release does not find my documents'],
          description: 'I hold my badge to {printer} and it says that there are no documents. I sent three.',
          finding: "The badge is registered to a former employee's account.",
          fix: 'Registered the badge anew.',
        },
        ru: {
          subjects: ['Печать по пропуску не видит документы'],
          description: 'Прикладываю пропуск к {printer}, пишет «нет документов», а отправил[|а] три.',
          finding: 'Пропуск привязан к учётной записи уволенного сотрудника.',
          fix: 'Пропуск зарегистрирован заново.',
        },
      },
      {
        en: {
          subjects: ['Prints come out double-sided although I chose one side'],
          description: 'All prints come out double-sided, although I choose one side every time.',
          finding: 'The saving mode of the print server overrides the choice.',
          fix: 'One-sided printing is allowed for the department now.',
        },
        ru: {
          subjects: ['Печатает с двух сторон, хотя выбрана одна'],
          description: 'Всё печатается с двух сторон, хотя каждый раз выбираю одну.',
          finding: 'Режим экономии на сервере печати перебивает выбор.',
          fix: 'Для отдела разрешена односторонняя печать.',
        },
      },
    ],
  },
  {
    category: 'printing',
    team: 'workplace',
    service: 'printing',
    weight: 3,
    cases: [
      {
        en: {
          subjects: ['Scan to e-mail does not arrive from {printer}'],
          description: 'I scan contracts on {printer} to my mail. Since {time} nothing arrives.',
          finding: 'Mail server refuses {printer}: sender address without permission.',
          fix: 'Allowed the sender address for {printer}, scans arrive.',
        },
        ru: {
          subjects: ['Не приходят сканы с {printer} на почту'],
          description: 'Сканирую договоры на {printer} себе на почту. С {time} ничего не приходит.',
          finding: 'Почтовый сервер отклоняет {printer}: адрес отправителя без разрешения.',
          fix: 'Адрес отправителя {printer} разрешён, сканы приходят.',
        },
      },
      {
        en: {
          subjects: ['Scan to folder {share} fails with {code}'],
          description: 'Scan to {share} ends with {code}, to mail it works.',
          finding: 'Password of the scanner account expired.',
          fix: 'Set a new password for the scanner account on all devices of floor {floor}.',
        },
        ru: {
          subjects: ['Сканирование в папку {share}: ошибка {code}'],
          description: 'Сканирование в {share} завершается с {code}, на почту работает.',
          finding: 'Истёк пароль учётной записи сканера.',
          fix: 'На всех устройствах {floor} этажа задан новый пароль учётной записи сканера.',
        },
      },
      {
        en: {
          subjects: ['Scanner cuts off the edge of the page'],
          description: 'Every scan from {printer} misses half a centimetre on the right, signatures are cut off.',
          finding: 'Size of the original is set to Letter instead of A4.',
          fix: 'Set to A4 on {printer}.',
        },
        ru: {
          subjects: ['Сканер обрезает край страницы'],
          description: 'На каждом скане с {printer} справа не хватает полсантиметра, подписи обрезаны.',
          finding: 'Размер оригинала Letter вместо A4.',
          fix: 'На {printer} установлен A4.',
        },
      },
      {
        en: {
          subjects: ['Scans from {printer} are unreadable'],
          description: 'Scans are grey and blurred, accounting sends them back.',
          finding: '100 dpi by default, and the glass is dirty.',
          fix: 'Cleaned, 300 dpi by default.',
        },
        ru: {
          subjects: ['Сканы с {printer} нечитаемые'],
          description: 'Сканы серые и размытые, бухгалтерия возвращает.',
          finding: 'По умолчанию 100 точек на дюйм, стекло грязное.',
          fix: 'Стекло вымыто, по умолчанию 300 точек на дюйм.',
        },
      },
    ],
  },
  {
    category: 'hardware',
    team: 'workplace',
    service: 'laptop',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['Laptop does not switch on'],
          description: 'I press the button, the light blinks three times and nothing happens. The charger is in.',
          finding: 'Three blinks: memory module not detected.',
          fix: 'Memory reseated and tested for an hour, no errors.',
        },
        ru: {
          subjects: ['Не включается ноутбук'],
          description: 'Нажимаю кнопку, индикатор мигает три раза и всё. Зарядка подключена.',
          finding: 'Три вспышки: не определяется модуль памяти.',
          fix: 'Память переставлена и проверена в течение часа, ошибок нет.',
        },
      },
      {
        en: {
          subjects: ['Laptop {asset} shows a blue screen'],
          description: 'Blue screen several times a day with {code}, mostly in video meetings.',
          finding: 'Crash dumps point at the graphics driver of March.',
          fix: 'Installed the current graphics driver, no crash for three days.',
        },
        ru: {
          subjects: ['Синий экран на ноутбуке {asset}'],
          description: 'Несколько раз в день синий экран с {code}, чаще на видеовстречах.',
          finding: 'Дампы указывают на мартовский драйвер видеокарты.',
          fix: 'Установлен текущий драйвер видеокарты, три дня без сбоев.',
        },
      },
      {
        en: {
          subjects: ['Laptop switches off by itself'],
          description: 'It switches itself off at {minutes} minutes on battery, although it shows 60 %.',
          finding: 'Battery at 38 % of its capacity, 912 cycles.',
          fix: 'Replaced the battery under warranty.',
        },
        ru: {
          subjects: ['Ноутбук сам выключается'],
          description: 'На батарее выключается через {minutes} минут, хотя показывает 60 %.',
          finding: 'Батарея держит 38 % ёмкости, 912 циклов.',
          fix: 'Батарея заменена по гарантии.',
        },
      },
      {
        en: {
          subjects: ['Laptop is hot and loud'],
          description: 'The fan runs at full speed all day, the bottom is too hot to keep it on the knees.',
          finding: 'Fan full of dust, 96 degrees under load.',
          fix: 'Cleaned the fan, temperature is normal.',
        },
        ru: {
          subjects: ['Ноутбук греется и шумит'],
          description: 'Вентилятор весь день на полных оборотах, снизу так горячо, что на коленях не удержать.',
          finding: 'Вентилятор забит пылью, 96 градусов под нагрузкой.',
          fix: 'Вентилятор вычищен, температура в норме.',
        },
      },
      {
        en: {
          subjects: ['Black screen after the update on {asset}'],
          description: "After last night's update I see the start screen and then only black with a pointer.",
          finding: 'The update replaced the graphics driver halfway.',
          fix: 'Rolled the driver back in safe mode, the update went through at the second attempt.',
        },
        ru: {
          subjects: ['После обновления чёрный экран на {asset}'],
          description: 'После ночного обновления вижу заставку, а потом только чёрный экран с указателем.',
          finding: 'Обновление заменило драйвер видеокарты наполовину.',
          fix: 'Драйвер возвращён в безопасном режиме, обновление со второй попытки прошло.',
        },
      },
    ],
  },
  {
    category: 'hardware',
    team: 'first-line',
    service: 'laptop',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['Computer is very slow since the update', 'Start takes {minutes} minutes'],
          description: 'Since last week {asset} needs {minutes} minutes until I can work. Opening mail takes forever.',
          finding: 'Disk at 100 % because of the first full scan after the protection update.',
          fix: 'Scan finished overnight; moved the schedule to lunch time.',
        },
        ru: {
          subjects: ['После обновления компьютер очень медленный', 'Компьютер загружается {minutes} минут'],
          description:
            'С прошлой недели {asset} готов к работе только через {minutes} минут. Почта открывается вечность.',
          finding: 'Диск занят на 100 % первой полной проверкой после обновления защиты.',
          fix: 'Проверка за ночь закончилась, расписание перенесено на обед.',
        },
      },
      {
        en: {
          subjects: ['Disk C is full on {asset}'],
          description: 'A message says that the disk is full. I only have documents and mail on it.',
          finding: '78 GB in the download folder and old user profiles.',
          fix: 'Freed 90 GB together with the caller.',
        },
        ru: {
          subjects: ['Переполнен диск C на {asset}'],
          description: 'Появляется сообщение, что диск переполнен. На нём только документы и почта.',
          finding: '78 ГБ в загрузках и старых профилях.',
          fix: 'Вместе с пользователем освободили 90 ГБ.',
        },
      },
      {
        en: {
          subjects: ['Computer restarts for updates during work'],
          description: 'The computer restarted at {time} without asking; I lost an hour of work.',
          finding: 'Active hours are not set on {asset}, hence the restart in the day.',
          fix: 'Set the active hours by policy, recovered the file from the automatic copy.',
        },
        ru: {
          subjects: ['Компьютер перезагрузился для обновления в рабочее время'],
          description: 'В {time} компьютер перезагрузился без вопроса, пропал час работы.',
          finding: 'На {asset} не задан период активности, поэтому перезагрузка днём.',
          fix: 'Период активности задан политикой, файл восстановлен из автосохранения.',
        },
      },
      {
        en: {
          subjects: ['Laptop freezes when opening large files'],
          description: 'Tables of more than {size} MB freeze the laptop for minutes, then the fan starts.',
          finding: '8 GB of memory, of which the browser holds five.',
          fix: 'Memory extended to 16 GB from stock.',
        },
        ru: {
          subjects: ['Ноутбук зависает на больших файлах'],
          description: 'Таблицы больше {size} МБ замораживают ноутбук на минуты, потом включается вентилятор.',
          finding: 'Памяти 8 ГБ, из них пять занимает браузер.',
          fix: 'Память расширена до 16 ГБ со склада.',
        },
      },
    ],
  },
  {
    category: 'hardware',
    team: 'workplace',
    service: 'peripherals',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['Second monitor is not recognised'],
          description:
            'With the dock only one of two monitors works. Swapping the cables moves the problem to the other one.',
          finding: 'Dock firmware is from two years ago.',
          fix: 'Updated the firmware of the dock, both monitors work.',
        },
        ru: {
          subjects: ['Не определяется второй монитор'],
          description:
            'Через док-станцию работает только один из двух мониторов. Если поменять кабели, не работает другой.',
          finding: 'Прошивка док-станции двухлетней давности.',
          fix: 'Прошивка док-станции обновлена, оба монитора работают.',
        },
      },
      {
        en: {
          subjects: ['Docking station does not charge the laptop'],
          description: 'The dock shows the picture but {asset} loses charge during the day.',
          finding: 'The power supply of the dock gives 65 W, {asset} needs 100 W.',
          fix: 'Replaced the power supply by the 130 W one.',
        },
        ru: {
          subjects: ['Док-станция не заряжает ноутбук'],
          description: 'Изображение через док-станцию есть, но {asset} за день разряжается.',
          finding: 'Блок питания док-станции даёт 65 Вт, {asset} нужно 100 Вт.',
          fix: 'Блок питания заменён на 130 Вт.',
        },
      },
      {
        en: {
          subjects: ['Headset microphone is not heard'],
          description: "Nobody hears me in calls, the headset is fine on a colleague's computer.",
          finding: 'Privacy setting blocks the microphone for the meeting program.',
          fix: 'Allowed the microphone, tested with the caller.',
        },
        ru: {
          subjects: ['Не слышно микрофон гарнитуры'],
          description: 'В звонках меня не слышат, на компьютере коллеги гарнитура работает.',
          finding: 'Настройка приватности закрывает микрофон для программы встреч.',
          fix: 'Микрофон разрешён, вместе с пользователем проверили.',
        },
      },
      {
        en: {
          subjects: ['Monitor flickers'],
          description: 'The monitor goes dark for a second every few minutes.',
          finding: 'A cable without a latch, it moves with the table.',
          fix: 'Replaced the cable.',
        },
        ru: {
          subjects: ['Мерцает монитор'],
          description: 'Каждые несколько минут монитор на секунду гаснет.',
          finding: 'Кабель без защёлки, двигается вместе со столом.',
          fix: 'Кабель заменён.',
        },
      },
      {
        en: {
          subjects: ['Keyboard types wrong letters'],
          description: 'Instead of letters on the right side digits appear; other keys are fine.',
          finding: 'Num lock of the external keyboard acts on the built-in one.',
          fix: 'Switched off, explained the key combination.',
        },
        ru: {
          subjects: ['Клавиатура печатает не те буквы'],
          description: 'Справа вместо букв печатаются цифры, остальные клавиши в порядке.',
          finding: 'Цифровой режим внешней клавиатуры действует на встроенную.',
          fix: 'Отключён, показали сочетание клавиш.',
        },
      },
      {
        en: {
          subjects: ['Mouse stops for seconds'],
          description: 'The wireless mouse stops for seconds, mostly when files are copied.',
          finding: 'The receiver sits beside a USB 3 disk.',
          fix: 'Receiver moved to the front with an extension.',
        },
        ru: {
          subjects: ['Мышь замирает на несколько секунд'],
          description: 'Беспроводная мышь замирает на секунды, чаще при копировании файлов.',
          finding: 'Приёмник стоит рядом с диском USB 3.',
          fix: 'Приёмник вынесен вперёд удлинителем.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'first-line',
    service: 'office-suite',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['Spreadsheet cannot be opened, "file is damaged"'],
          description:
            'The table with our plan cannot be opened since {time}: the file is damaged. Ten people work in it.',
          finding: 'File was cut when the VPN dropped during saving.',
          fix: 'Restored the version of {time} from the file history.',
        },
        ru: {
          subjects: ['Таблица не открывается: «файл повреждён»'],
          description: 'С {time} не открывается таблица с планом: файл повреждён. В ней работают десять человек.',
          finding: 'Файл обрезан: при сохранении оборвался VPN.',
          fix: 'Восстановлена версия на {time} из истории файла.',
        },
      },
      {
        en: {
          subjects: ['Document is locked by another user'],
          description: 'The document in {share} says that it is locked by a colleague who is on leave.',
          finding: 'A lock file of a session that ended badly stays in {share}.',
          fix: 'Removed the lock file.',
        },
        ru: {
          subjects: ['Документ заблокирован другим пользователем'],
          description: 'Документ в {share} пишет, что занят коллегой, а он в отпуске.',
          finding: 'В {share} остался файл блокировки от прерванного сеанса.',
          fix: 'Файл блокировки удалён.',
        },
      },
      {
        en: {
          subjects: ['Macro in the sales table does not start'],
          description: 'Since the update the macro is blocked and I cannot close the month.',
          finding: 'Macros from network folders are blocked by the new policy.',
          fix: "Signed the macro with the department's certificate.",
        },
        ru: {
          subjects: ['Не запускается макрос в таблице продаж'],
          description: 'После обновления макрос заблокирован, не могу закрыть месяц.',
          finding: 'Новая политика запрещает макросы из сетевых папок.',
          fix: 'Макрос подписан сертификатом подразделения.',
        },
      },
      {
        en: {
          subjects: ['Formulas show {code} after the update'],
          description: 'Since the update formulas that refer to another table show {code}.',
          finding: 'Links point at the old name of the server.',
          fix: 'Changed the links to the new name in the whole folder.',
        },
        ru: {
          subjects: ['После обновления формулы показывают {code}'],
          description: 'После обновления формулы со ссылкой на другую таблицу показывают {code}.',
          finding: 'Ссылки указывают на старое имя сервера.',
          fix: 'Во всей папке ссылки переведены на новое имя.',
        },
      },
      {
        en: {
          subjects: ['Two versions of a shared document'],
          description: 'Two of us edited offline, now there are two versions and nobody knows which is right.',
          finding: 'Synchronisation was paused on one computer for four days.',
          fix: 'Merged both together with the callers, synchronisation runs.',
        },
        ru: {
          subjects: ['У общего документа две версии'],
          description: 'Двое правили без сети, теперь две версии, и никто не знает, какая верная.',
          finding: 'На одном компьютере синхронизация четыре дня стояла на паузе.',
          fix: 'Вместе с заявителями версии сведены, синхронизация идёт.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'workplace',
    service: 'software',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Licence of the drawing program has expired'],
          description:
            'The drawing program starts in read-only mode: no licence available. We are four people with three licences.',
          finding: 'All licences are taken, one by a computer that is switched off since Friday.',
          fix: 'Returned the unused licence to the pool.',
        },
        ru: {
          subjects: ['Истекла лицензия программы черчения'],
          description:
            'Программа черчения открывается только для чтения: нет свободной лицензии. Нас четверо, лицензий три.',
          finding: 'Все лицензии заняты, одна компьютером, который выключен с пятницы.',
          fix: 'Неиспользуемая лицензия возвращена в общий пул.',
        },
      },
      {
        en: {
          subjects: ['Installation from the catalogue fails with {code}'],
          description: 'I ordered the program in the catalogue, the installation stops with {code}.',
          finding: 'Installer needs 4 GB free, {asset} has 1.2 GB.',
          fix: 'Freed space, the installation went through.',
        },
        ru: {
          subjects: ['Установка из каталога завершается с {code}'],
          description: 'Заказал[|а] программу в каталоге, установка останавливается с {code}.',
          finding: 'Установщику нужно 4 ГБ, на {asset} свободно 1,2 ГБ.',
          fix: 'Место освобождено, установка прошла.',
        },
      },
      {
        en: {
          subjects: ['Program asks for administrator rights'],
          description: "The supplier's program wants to update itself and asks for an administrator.",
          finding: 'The updater of the supplier is not signed.',
          fix: 'Packaged the new version, it is in the catalogue now.',
        },
        ru: {
          subjects: ['Программа просит права администратора'],
          description: 'Программа поставщика хочет обновиться и просит администратора.',
          finding: 'Модуль обновления поставщика не подписан.',
          fix: 'Новая версия собрана в пакет и доступна в каталоге.',
        },
      },
      {
        en: {
          subjects: ['PDF program closes when printing'],
          description: 'The PDF program closes as soon as I press Print, only with forms.',
          finding: 'A known fault of this version, {code} in the journal.',
          fix: 'Installed the corrected version.',
        },
        ru: {
          subjects: ['Программа для PDF закрывается при печати'],
          description: 'Программа для PDF закрывается при нажатии «Печать», только на формах.',
          finding: 'Известная ошибка этой версии, в журнале {code}.',
          fix: 'Установлена исправленная версия.',
        },
      },
      {
        en: {
          subjects: ['Browser shows pages in a wrong font'],
          description: 'Since yesterday some pages show a font that I can hardly read.',
          finding: 'A font of the drawing program replaced the standard one.',
          fix: 'Removed the font, restarted the browser.',
        },
        ru: {
          subjects: ['Браузер показывает страницы чужим шрифтом'],
          description: 'Со вчерашнего дня часть страниц показывается шрифтом, который трудно читать.',
          finding: 'Шрифт программы черчения подменил стандартный.',
          fix: 'Шрифт удалён, браузер перезапущен.',
        },
      },
    ],
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'desk-phone',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Desk phone shows "not registered"'],
          description: 'My phone {ext} shows "not registered" since {time}. Unplugging did not help.',
          finding: 'The phone gets an address from the computer network: wrong port profile at {socket}.',
          fix: 'Changed the port profile, the phone registered.',
        },
        ru: {
          subjects: ['Настольный телефон пишет «нет регистрации»'],
          description: 'С {time} на телефоне {ext} «нет регистрации». Отключение от сети не помогло.',
          finding: 'Телефон получает адрес из сети компьютеров: неверный профиль порта {socket}.',
          fix: 'Профиль порта исправлен, телефон зарегистрировался.',
        },
      },
      {
        en: {
          subjects: ['No outgoing calls from {ext}'],
          description: 'I can take calls but every outgoing call ends with a busy tone.',
          finding: 'Number {ext} has no right for city calls after the migration.',
          fix: 'Corrected the class of service, test call succeeded.',
        },
        ru: {
          subjects: ['Нет исходящих звонков с номера {ext}'],
          description: 'Входящие принимаю, а любой исходящий заканчивается короткими гудками.',
          finding: 'После переноса у номера {ext} нет права на городские звонки.',
          fix: 'Исправлен класс обслуживания, проверочный звонок прошёл.',
        },
      },
      {
        en: {
          subjects: ['Calls to {ext} go to the wrong person'],
          description: 'Customers who call {ext} reach a colleague from another department.',
          finding: 'A forwarding from a former owner of {ext} is still set.',
          fix: 'Removed the forwarding.',
        },
        ru: {
          subjects: ['Звонки на {ext} попадают не тому сотруднику'],
          description: 'Клиенты звонят на {ext}, а попадают к сотруднику другого отдела.',
          finding: 'Осталась переадресация прежнего владельца номера {ext}.',
          fix: 'Переадресация снята.',
        },
      },
      {
        en: {
          subjects: ['Phone does not ring'],
          description: 'My phone {ext} does not ring; callers hear the tone and I see missed calls.',
          finding: 'The silent profile is chosen on the device.',
          fix: 'Set the profile back, a test call rings.',
        },
        ru: {
          subjects: ['Телефон не звонит'],
          description: 'Телефон {ext} не звонит: у звонящих гудки, у меня пропущенные.',
          finding: 'На аппарате выбран беззвучный профиль.',
          fix: 'Профиль возвращён, проверочный звонок слышно.',
        },
      },
      {
        en: {
          subjects: ['Voicemail PIN forgotten'],
          description: 'I have forgotten the PIN of the voicemail of {ext}.',
          finding: 'Identity checked by video call.',
          fix: 'PIN reset, the caller chose a new one.',
        },
        ru: {
          subjects: ['Забыт PIN голосовой почты'],
          description: 'Не помню PIN голосовой почты номера {ext}.',
          finding: 'Личность проверена по видеосвязи.',
          fix: 'PIN сброшен, заявитель задал новый.',
        },
      },
    ],
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'softphone',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Voice breaks up in the softphone'],
          description: 'Customers say that my voice breaks up. I work from home over VPN.',
          finding: "Jitter above 80 ms on the caller's home Wi-Fi, with a cable 6 ms.",
          fix: 'Advised a cable or 5 GHz; quality is good now.',
        },
        ru: {
          subjects: ['Прерывается голос в программном телефоне'],
          description: 'Клиенты говорят, что голос прерывается. Работаю из дома через VPN.',
          finding: 'Джиттер больше 80 мс на домашнем Wi-Fi, по кабелю 6 мс.',
          fix: 'Посоветовали кабель или 5 ГГц, качество хорошее.',
        },
      },
      {
        en: {
          subjects: ['One-way audio in calls over VPN'],
          description: 'The caller hears me, I do not hear the caller. In the office it is fine.',
          finding: 'Voice goes through the VPN tunnel instead of directly.',
          fix: 'Excluded the voice servers from the tunnel.',
        },
        ru: {
          subjects: ['Односторонняя слышимость через VPN'],
          description: 'Меня слышат, я собеседника нет. В офисе всё в порядке.',
          finding: 'Голос идёт через туннель VPN, а не напрямую.',
          fix: 'Голосовые серверы исключены из туннеля.',
        },
      },
      {
        en: {
          subjects: ['Softphone rings but the call cannot be taken'],
          description: 'It rings, I press Accept, and it goes on ringing.',
          finding: 'Two programs hold the headset at the same time.',
          fix: 'Removed the old program.',
        },
        ru: {
          subjects: ['Программный телефон звонит, но вызов не принять'],
          description: 'Звонит, нажимаю «Принять», а оно звонит дальше.',
          finding: 'Гарнитуру одновременно держат две программы.',
          fix: 'Старая программа удалена.',
        },
      },
      {
        en: {
          subjects: ['Softphone does not start on {asset}'],
          description: 'The softphone on {asset} closes at start since the update, {code}.',
          finding: 'The settings file of the previous version is damaged.',
          fix: 'Deleted the settings, signed in again.',
        },
        ru: {
          subjects: ['Не запускается программный телефон на {asset}'],
          description: 'После обновления программный телефон на {asset} закрывается при запуске, {code}.',
          finding: 'Повреждён файл настроек прежней версии.',
          fix: 'Настройки удалены, вход выполнен заново.',
        },
      },
    ],
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'mobile',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['No mail on the company phone'],
          description: 'Since I changed my password the phone has no new mail.',
          finding: 'Account on the phone waits for a new sign-in.',
          fix: 'Signed in again on the phone, mail is complete.',
        },
        ru: {
          subjects: ['Нет почты на рабочем телефоне'],
          description: 'После смены пароля на телефон не приходит почта.',
          finding: 'Учётная запись на телефоне ждёт повторного входа.',
          fix: 'На телефоне выполнен повторный вход, почта пришла.',
        },
      },
      {
        en: {
          subjects: ['Company phone has no mobile data abroad'],
          description: 'I am on a business trip, the phone shows the network but no data.',
          finding: 'Roaming is not switched on in the tariff.',
          fix: 'Ordered roaming with the carrier, data works after a restart.',
        },
        ru: {
          subjects: ['Нет мобильного интернета в командировке'],
          description: 'В командировке телефон видит сеть, но интернета нет.',
          finding: 'В тарифе не подключён роуминг.',
          fix: 'У оператора подключён роуминг, после перезагрузки интернет есть.',
        },
      },
      {
        en: {
          subjects: ['Screen of the company phone is broken'],
          description: 'The phone fell, the glass is broken, but it works.',
          finding: 'Glass broken, the display works; no case for the warranty.',
          fix: 'Issued a phone from stock, moved the SIM card.',
        },
        ru: {
          subjects: ['Разбит экран рабочего телефона'],
          description: 'Телефон упал, стекло треснуло, но он работает.',
          finding: 'Разбито стекло, экран работает; случай не гарантийный.',
          fix: 'Выдан телефон со склада, SIM-карта переставлена.',
        },
      },
      {
        en: {
          subjects: ['Tablet does not enrol, {code}'],
          description: 'The new tablet stops in the middle of the enrolment with {code}.',
          finding: 'Device is not in the list of registered serial numbers.',
          fix: 'Serial number added, the enrolment went through.',
        },
        ru: {
          subjects: ['Планшет не регистрируется, {code}'],
          description: 'Новый планшет останавливается на середине регистрации с {code}.',
          finding: 'Устройства нет в списке зарегистрированных серийных номеров.',
          fix: 'Серийный номер добавлен, регистрация прошла.',
        },
      },
      {
        en: {
          subjects: ['Phone locked after wrong PINs'],
          description: 'I typed the PIN wrong several times, now the phone wants an unlock code.',
          finding: 'The SIM card is blocked after three attempts.',
          fix: 'Unlocked with the code of the carrier.',
        },
        ru: {
          subjects: ['Телефон заблокирован после неверных PIN'],
          description: 'Несколько раз неверно ввел[|а] PIN, теперь телефон просит код разблокировки.',
          finding: 'SIM-карта заблокирована после трёх попыток.',
          fix: 'Разблокирована кодом оператора.',
        },
      },
    ],
  },
]
