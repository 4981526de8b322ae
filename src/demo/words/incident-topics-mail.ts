import type { Topic } from './topic.ts'

export const mailTopics: readonly Topic[] = [
  {
    category: 'mail',
    team: 'mail',
    service: 'mail',
    weight: 7,
    cases: [
      {
        en: {
          subjects: ['E-mails stay in the outbox'],
          description: 'Since {time} nothing leaves my outbox. I restarted the mail client twice.',
          finding: 'A mail with an attachment of {size} MB blocks the outbox.',
          fix: 'Removed the large message, sent the file as a link; the queue went out.',
        },
        ru: {
          subjects: ['Письма остаются в исходящих'],
          description: 'С {time} из исходящих ничего не уходит. Почтовую программу перезапускал[|а] дважды.',
          finding: 'Письмо с вложением {size} МБ держит очередь исходящих.',
          fix: 'Большое письмо удалено, файл отправлен ссылкой, очередь ушла.',
        },
      },
      {
        en: {
          subjects: ['Mail to a customer comes back with {code}'],
          description:
            'Every mail to this customer comes back with {code}. They say that other partners have no trouble.',
          finding: "Recipient's server rejects us: our second outgoing address is missing from the sender policy.",
          fix: 'Added the address to the sender policy; test mail delivered.',
        },
        ru: {
          subjects: ['Письмо клиенту возвращается с ошибкой {code}'],
          description:
            'Любое письмо этому клиенту возвращается с кодом {code}. Они говорят, что с другими партнёрами проблем нет.',
          finding: 'Сервер получателя нас отклоняет: второго исходящего адреса нет в политике отправителя.',
          fix: 'Адрес добавлен в политику отправителя, проверочное письмо доставлено.',
        },
      },
      {
        en: {
          subjects: ['Do not receive mail from one supplier'],
          description: 'Our supplier sent three orders this week and none arrived. Nothing in the spam folder.',
          finding: "Messages are in quarantine: the supplier's signature became invalid after their move.",
          fix: 'Released three messages, told the supplier what to repair, set a temporary allowance.',
        },
        ru: {
          subjects: ['Не приходят письма от одного поставщика'],
          description: 'Поставщик на этой неделе прислал три заказа, ни один не дошёл. В спаме пусто.',
          finding: 'Письма в карантине: после переезда у поставщика стала недействительной подпись.',
          fix: 'Три письма выпущены, поставщику написали, что исправить; временно разрешили приём.',
        },
      },
      {
        en: {
          subjects: ['Attachments over {size} MB are refused'],
          description: 'I must send drawings of {size} MB to a customer, and the program refuses.',
          finding: 'The limit is 25 MB on our side and on theirs.',
          fix: 'Showed the exchange folder with a link that expires; the customer has the files.',
        },
        ru: {
          subjects: ['Не отправляются вложения больше {size} МБ'],
          description: 'Надо отправить клиенту чертежи на {size} МБ, программа не принимает.',
          finding: 'Предел 25 МБ и у нас, и у получателя.',
          fix: 'Показали папку обмена со ссылкой, у которой есть срок; файлы у клиента.',
        },
      },
      {
        en: {
          subjects: ['Mail arrives an hour late'],
          description: 'Mails from colleagues in the same building reach me an hour late since {time}.',
          finding: 'The queue of the virus scanner has grown: it loads its signatures anew.',
          fix: 'Second scanner started, the queue is empty.',
        },
        ru: {
          subjects: ['Почта приходит с опозданием на час'],
          description: 'С {time} письма от коллег из того же здания доходят через час.',
          finding: 'Выросла очередь проверки на вирусы: базы загружаются заново.',
          fix: 'Запущена вторая проверка, очередь пуста.',
        },
      },
    ],
  },
  {
    category: 'mail',
    team: 'first-line',
    service: 'mail',
    weight: 6,
    cases: [
      {
        en: {
          subjects: ['Mailbox is full'],
          description: 'I get warnings that the mailbox is full, and I need all of these messages.',
          finding: '18 GB of 20 GB used, most of it in Sent with attachments.',
          fix: 'Turned on the archive mailbox, older mail moves by itself.',
        },
        ru: {
          subjects: ['Переполнен почтовый ящик'],
          description: 'Приходят предупреждения о переполнении ящика, а все эти письма нужны.',
          finding: 'Занято 18 ГБ из 20, в основном отправленные с вложениями.',
          fix: 'Подключён архивный ящик, старые письма переносятся сами.',
        },
      },
      {
        en: {
          subjects: ['Mail client does not start'],
          description: 'The mail client closes right after the start window. Mail in the browser works.',
          finding: 'An add-in crashes the client at start, {code} in the log.',
          fix: 'Switched the add-in off, the client starts.',
        },
        ru: {
          subjects: ['Не запускается почтовая программа'],
          description: 'Почтовая программа закрывается сразу после заставки. Почта в браузере работает.',
          finding: 'При запуске программу роняет надстройка, в журнале {code}.',
          fix: 'Надстройка отключена, программа запускается.',
        },
      },
      {
        en: {
          subjects: ['Search in mail finds nothing newer than last month'],
          description: 'Search finds only old mail. I know that the message is there, I can scroll to it.',
          finding: 'The search index on {asset} has stopped at an early date.',
          fix: 'Rebuilt the index overnight, search is complete.',
        },
        ru: {
          subjects: ['Поиск в почте не находит письма новее прошлого месяца'],
          description: 'Поиск находит только старые письма. Письмо точно есть, если пролистать список.',
          finding: 'Поисковый индекс на {asset} остановился на ранней дате.',
          fix: 'Индекс за ночь перестроен, поиск полный.',
        },
      },
      {
        en: {
          subjects: ['Signature disappeared after the update'],
          description:
            'My signature was gone after the update of the mail client, and new mails start in another font.',
          finding: 'Signatures lie in the folder of the old profile.',
          fix: 'Copied the signatures into the new profile.',
        },
        ru: {
          subjects: ['После обновления пропала подпись'],
          description: 'После обновления почтовой программы пропала подпись, новые письма начинаются другим шрифтом.',
          finding: 'Подписи остались в папке старого профиля.',
          fix: 'Подписи перенесены в новый профиль.',
        },
      },
      {
        en: {
          subjects: ['Deleted a folder with important mail'],
          description: 'I deleted a folder with the correspondence of a project, and it is not in the bin.',
          finding: 'The folder is in the retention store, complete.',
          fix: 'Restored the folder from the retention store.',
        },
        ru: {
          subjects: ['Случайно удалена папка с важными письмами'],
          description: 'Случайно удалил[|а] папку с перепиской по проекту, в корзине её нет.',
          finding: 'Папка есть в хранилище удалённых, целиком.',
          fix: 'Папка восстановлена из хранилища удалённых.',
        },
      },
    ],
  },
  {
    category: 'mail',
    team: 'mail',
    service: 'mail',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ["Cannot see a colleague's calendar"],
          description: 'I take care of the diary of our manager since Monday, but I only see "busy".',
          finding: 'Calendar permission is "free/busy" only.',
          fix: 'The manager granted editor rights, the calendar is visible.',
        },
        ru: {
          subjects: ['Не виден календарь коллеги'],
          description: 'С понедельника веду календарь руководителя, но вижу только «занят».',
          finding: 'Право на календарь только «занятость».',
          fix: 'Руководитель выдал право редактора, календарь виден.',
        },
      },
      {
        en: {
          subjects: ['Meeting room {room} is booked twice'],
          description:
            'The room {room} accepted two meetings for the same time, both groups stand in front of the door.',
          finding: 'Booking assistant of {room} was switched to manual after the rename.',
          fix: 'Automatic booking is on again, double bookings are refused.',
        },
        ru: {
          subjects: ['Переговорная {room} забронирована дважды'],
          description: 'Переговорная {room} приняла две встречи на одно время, обе группы стоят у двери.',
          finding: 'После переименования помощник бронирования {room} переведён в ручной режим.',
          fix: 'Автоматическое бронирование включено, повторные брони отклоняются.',
        },
      },
      {
        en: {
          subjects: ['Invitations arrive one hour off'],
          description: 'Invitations from our partner in another country are one hour off.',
          finding: "Caller's profile has the wrong time zone since a trip.",
          fix: 'Corrected the time zone in the profile.',
        },
        ru: {
          subjects: ['Приглашения приходят со сдвигом на час'],
          description: 'Приглашения от партнёра из другой страны приходят со сдвигом на час.',
          finding: 'После командировки в профиле остался чужой часовой пояс.',
          fix: 'Исправлен часовой пояс в профиле.',
        },
      },
      {
        en: {
          subjects: ['Cannot send on behalf of the shared mailbox'],
          description: 'I can read the shared mailbox, but when I answer from it I get {code}.',
          finding: 'The right to read is there, the right to send is missing.',
          fix: 'Right to send granted, works after an hour.',
        },
        ru: {
          subjects: ['Не отправляется письмо от имени общего ящика'],
          description: 'Общий ящик читаю, а при ответе из него получаю {code}.',
          finding: 'Право чтения есть, права отправки нет.',
          fix: 'Право отправки выдано, через час заработало.',
        },
      },
      {
        en: {
          subjects: ['Shared mailbox does not appear in the client'],
          description:
            'I was told that I have the shared mailbox of the project, but it does not show up in the program.',
          finding: 'Automatic mapping does not work for members by group.',
          fix: 'Added the mailbox by hand, showed the caller how.',
        },
        ru: {
          subjects: ['Общий ящик не появляется в программе'],
          description: 'Сказали, что общий ящик проекта мне подключён, но в программе его не видно.',
          finding: 'Автоматическое подключение не работает при членстве через группу.',
          fix: 'Ящик добавлен вручную, показали как.',
        },
      },
    ],
  },
  {
    category: 'telephony',
    team: 'mail',
    service: 'video',
    weight: 5,
    cases: [
      {
        en: {
          subjects: ['No sound in meeting room {room}'],
          description:
            'We start a customer presentation at {soon} in {room} and nobody hears us. The display shows the picture.',
          finding: "The room computer chose the display's speakers as the microphone after a restart.",
          fix: 'Selected the table microphone as default and locked the setting.',
        },
        ru: {
          subjects: ['Нет звука в переговорной {room}'],
          description:
            'В {soon} начинаем показ для клиента в переговорной {room}, а нас никто не слышит. Картинка на экране есть.',
          finding: 'После перезагрузки компьютер переговорной выбрал микрофоном экран.',
          fix: 'Микрофон стола выбран по умолчанию, настройка закреплена.',
        },
      },
      {
        en: {
          subjects: ['Camera in {room} shows a black picture'],
          description: 'The camera works in the test but stays black in the meeting.',
          finding: 'Privacy cover of the camera is closed; second time this month in {room}.',
          fix: 'Opened the cover, put a note on the door of {room}.',
        },
        ru: {
          subjects: ['Камера в переговорной {room} показывает чёрный экран'],
          description: 'В проверке камера работает, а на встрече чёрный экран.',
          finding: 'Закрыта шторка камеры, в {room} второй раз за месяц.',
          fix: 'Шторка открыта, на двери {room} оставили памятку.',
        },
      },
      {
        en: {
          subjects: ['Cannot share the screen in a video meeting'],
          description: 'When I share my screen others see a grey window.',
          finding: 'Screen sharing is blocked by the protection policy for external meetings.',
          fix: 'Sharing of a single window is allowed, showed the caller how.',
        },
        ru: {
          subjects: ['Не получается показать экран на видеовстрече'],
          description: 'Когда показываю экран, остальные видят серое окно.',
          finding: 'Показ экрана для внешних встреч запрещён политикой защиты.',
          fix: 'Разрешён показ отдельного окна, показали пользователю как.',
        },
      },
      {
        en: {
          subjects: ['Participants hear an echo from {room}'],
          description: 'The other side hears itself with a delay whenever we are in {room}.',
          finding: 'Two computers in the room were in the meeting with their sound on.',
          fix: 'Explained the room mode of the program, left a card on the table.',
        },
        ru: {
          subjects: ['Участники слышат эхо из переговорной {room}'],
          description: 'Собеседники слышат себя с задержкой каждый раз, когда мы в переговорной {room}.',
          finding: 'В комнате на встрече были два компьютера с включённым звуком.',
          fix: 'Объяснили режим комнаты в программе, оставили памятку на столе.',
        },
      },
      {
        en: {
          subjects: ['Meeting link opens the wrong account'],
          description: 'The link of the meeting opens with my private account, and I wait in the lobby.',
          finding: 'The browser profile is signed in with a private account.',
          fix: 'Made a work profile of the browser and set it as the default.',
        },
        ru: {
          subjects: ['Ссылка на встречу открывает не ту учётную запись'],
          description: 'Ссылка на встречу открывается с личной учётной записью, и я жду в комнате ожидания.',
          finding: 'В профиле браузера выполнен вход с личной учётной записью.',
          fix: 'Создан рабочий профиль браузера и сделан основным.',
        },
      },
    ],
  },
]
