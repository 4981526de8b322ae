import type { Topic } from './topic.ts'

export const accessTopics: readonly Topic[] = [
  {
    category: 'access',
    team: 'first-line',
    service: 'directory',
    weight: 13,
    cases: [
      {
        en: {
          subjects: ['Account locked', 'Locked out after three attempts'],
          description: 'The computer says that the account is locked. I only typed the password I use every day.',
          finding: "Lockouts come from the caller's phone: the mail app still sends the old password.",
          fix: "Updated the password in the phone's mail app, no lockouts since.",
        },
        ru: {
          subjects: ['Заблокирована учётная запись', 'Учётная запись заблокировалась после трёх попыток'],
          description:
            'Компьютер пишет, что учётная запись заблокирована. Вводил[|а] только тот пароль, которым пользуюсь каждый день.',
          finding: 'Блокировки идут с телефона: почтовое приложение отправляет старый пароль.',
          fix: 'Пароль обновлён в почтовом приложении телефона, блокировок больше нет.',
        },
      },
      {
        en: {
          subjects: ['Password expired, cannot sign in to Windows'],
          description: 'The password expired while I was travelling and the computer does not let me change it.',
          finding: 'Identity checked by calling back on the number in the directory.',
          fix: 'Unlocked the account and set a one-time password; the caller changed it and signed in.',
        },
        ru: {
          subjects: ['Истёк пароль, не могу войти в компьютер'],
          description: 'Пароль истёк, пока я был[|а] в командировке, и компьютер не даёт его сменить.',
          finding: 'Личность подтверждена обратным звонком по номеру из справочника.',
          fix: 'Учётная запись разблокирована, выдан одноразовый пароль; пользователь сменил его и вошёл.',
        },
      },
      {
        en: {
          subjects: ['Forgot my password after the holiday'],
          description:
            'I came back from two weeks of leave and cannot remember my password. Please help, I have a call at {soon}.',
          finding: 'Identity checked by calling back on the number in the directory.',
          fix: 'Unlocked the account and set a one-time password; the caller changed it and signed in.',
        },
        ru: {
          subjects: ['Забыл[|а] пароль после отпуска'],
          description:
            'Вернул[ся|ась] из двухнедельного отпуска и не помню пароль. Помогите, пожалуйста, в {soon} совещание.',
          finding: 'Личность подтверждена обратным звонком по номеру из справочника.',
          fix: 'Учётная запись разблокирована, выдан одноразовый пароль; пользователь сменил его и вошёл.',
        },
      },
      {
        en: {
          subjects: ['Password change is refused with {code}'],
          description: 'The system wants a new password, and whatever I type it says {code}.',
          finding: 'New password repeats one of the last ten; explained the rule.',
          fix: 'Helped to choose a passphrase that meets the rule.',
        },
        ru: {
          subjects: ['Не принимается новый пароль, ошибка {code}'],
          description: 'Система требует сменить пароль, но на любой вариант отвечает {code}.',
          finding: 'Новый пароль повторяет один из последних десяти, объяснили правило.',
          fix: 'Помогли подобрать парольную фразу по правилам.',
        },
      },
    ],
  },
  {
    category: 'access',
    team: 'identity',
    service: 'mfa',
    weight: 7,
    cases: [
      {
        en: {
          subjects: ['New phone, sign-in codes do not work'],
          description:
            'I have a new phone since yesterday and the authenticator app is empty. I cannot open mail or {app}.',
          finding: 'Old device is still registered; the caller has no backup codes left.',
          fix: 'Checked the identity by video call, removed the old device, registered the new phone, issued backup codes.',
        },
        ru: {
          subjects: ['Новый телефон, не подходят коды входа'],
          description:
            'Со вчерашнего дня новый телефон, приложение подтверждения пустое. Не могу открыть почту и {app}.',
          finding: 'Зарегистрировано старое устройство, резервных кодов у пользователя не осталось.',
          fix: 'Личность проверена по видеосвязи, старое устройство удалено, новый телефон зарегистрирован, выданы резервные коды.',
        },
      },
      {
        en: {
          subjects: ['Lost my phone with the authenticator'],
          description:
            'I lost my phone yesterday evening. The confirmation app was on it, so I cannot open mail or {app}.',
          finding: 'Old device is still registered; the caller has no backup codes left.',
          fix: 'Checked the identity by video call, removed the old device, registered the new phone, issued backup codes.',
        },
        ru: {
          subjects: ['Потерян телефон с приложением подтверждения'],
          description:
            'Вчера вечером потерял[|а] телефон. На нём было приложение подтверждения, поэтому не открываются ни почта, ни {app}.',
          finding: 'Зарегистрировано старое устройство, резервных кодов у пользователя не осталось.',
          fix: 'Личность проверена по видеосвязи, старое устройство удалено, новый телефон зарегистрирован, выданы резервные коды.',
        },
      },
      {
        en: {
          subjects: ['Confirmation prompt does not arrive'],
          description:
            'The sign-in page waits for a confirmation on my phone, but nothing arrives. It worked until {time}.',
          finding: 'Notifications for the app are switched off by the battery saver.',
          fix: 'Excluded the app from battery saving; the test prompt arrived at once.',
        },
        ru: {
          subjects: ['Не приходит запрос подтверждения входа'],
          description: 'Страница входа ждёт подтверждения на телефоне, а оно не приходит. До {time} всё работало.',
          finding: 'Уведомления приложения отключены режимом экономии заряда.',
          fix: 'Приложение исключено из экономии заряда, проверочный запрос пришёл сразу.',
        },
      },
      {
        en: {
          subjects: ['Sign-in code is always wrong'],
          description: 'Every code I type is refused. I tried ten of them.',
          finding: 'Clock of the phone is four minutes off, so codes do not match.',
          fix: 'Switched automatic time on, codes are accepted.',
        },
        ru: {
          subjects: ['Код подтверждения всегда неверный'],
          description: 'Любой введённый код отклоняется, попробовал[|а] десять раз.',
          finding: 'Часы телефона отстают на четыре минуты, поэтому коды не совпадают.',
          fix: 'Включено автоматическое время, коды принимаются.',
        },
      },
      {
        en: {
          subjects: ['Security key is not recognised on {asset}'],
          description: 'The security key works on my other computer; on {asset} nothing happens when I touch it.',
          finding: 'The key was plugged into the monitor, whose ports are off in sleep.',
          fix: 'Key plugged in directly, power saving of the ports switched off.',
        },
        ru: {
          subjects: ['Аппаратный ключ не определяется на {asset}'],
          description: 'На другом компьютере ключ работает, а на {asset} при касании ничего не происходит.',
          finding: 'Ключ был вставлен в монитор, его порты отключаются во сне.',
          fix: 'Ключ подключён напрямую, экономия питания портов отключена.',
        },
      },
    ],
  },
  {
    category: 'access',
    team: 'identity',
    service: 'rights',
    weight: 8,
    cases: [
      {
        en: {
          subjects: ['No access to the folder {share}'],
          description:
            'Until Friday I could open the folder {share}, now I get {code}. My manager knows that I need it.',
          finding:
            'The group that gives access to {share} was cleaned up in the quarterly review; the owner did not confirm this user in time.',
          fix: 'The owner of {share} confirmed; access given, takes effect after the next sign-in.',
        },
        ru: {
          subjects: ['Нет доступа к папке {share}'],
          description:
            'До пятницы папка {share} открывалась, теперь ошибка {code}. Руководитель в курсе, что доступ мне нужен.',
          finding:
            'Группа доступа к {share} очищена при квартальном пересмотре: владелец вовремя не подтвердил пользователя.',
          fix: 'Владелец {share} подтвердил, доступ выдан, заработает после повторного входа.',
        },
      },
      {
        en: {
          subjects: ['{app}: "insufficient rights" when saving'],
          description:
            'In {app} I can read documents but not save them: "insufficient rights". My colleagues in the same position can.',
          finding: 'Role in {app} is bound to the old position; the transfer was registered two days late.',
          fix: 'Role in {app} corrected to the new position, old one withdrawn.',
        },
        ru: {
          subjects: ['{app}: «недостаточно прав» при сохранении'],
          description:
            'В системе {app} документы читаю, но сохранить не могу: «недостаточно прав». У коллег на той же должности получается.',
          finding: 'Роль в системе {app} привязана к старой должности, перевод оформлен с опозданием на два дня.',
          fix: 'Роль в системе {app} приведена к новой должности, старая отозвана.',
        },
      },
      {
        en: {
          subjects: ['Cannot open the shared folder {share} after a transfer'],
          description: 'I moved to another department this month. The new folders are there, but {share} is refused.',
          finding:
            'The group that gives access to {share} was cleaned up in the quarterly review; the owner did not confirm this user in time.',
          fix: 'The owner of {share} confirmed; access given, takes effect after the next sign-in.',
        },
        ru: {
          subjects: ['После перевода не открывается общая папка {share}'],
          description: 'В этом месяце переш[ёл|ла] в другой отдел. Новые папки есть, а {share} не открывается.',
          finding:
            'Группа доступа к {share} очищена при квартальном пересмотре: владелец вовремя не подтвердил пользователя.',
          fix: 'Владелец {share} подтвердил, доступ выдан, заработает после повторного входа.',
        },
      },
      {
        en: {
          subjects: ['Access to {app} disappeared'],
          description: 'On Friday I still worked in {app}, today it says that I have no access ({code}).',
          finding: 'The right was given for a project that ended on the last day of the month.',
          fix: 'The owner prolonged the project, the right is back.',
        },
        ru: {
          subjects: ['Пропал доступ к системе {app}'],
          description: 'В пятницу ещё работал[|а] в системе {app}, а сегодня «нет доступа» ({code}).',
          finding: 'Право выдавалось на проект, который закончился последним днём месяца.',
          fix: 'Владелец продлил проект, право возвращено.',
        },
      },
      {
        en: {
          subjects: ['Still see the data of my old department in {app}'],
          description:
            'I have been in the new department for two weeks and {app} still shows me the customers of the old one. I think I should not see them.',
          finding: 'Role in {app} is bound to the old position; the transfer was registered two days late.',
          fix: 'Role in {app} corrected to the new position, old one withdrawn.',
        },
        ru: {
          subjects: ['В системе {app} видны данные прежнего отдела'],
          description:
            'Вторую неделю работаю в новом отделе, а {app} показывает клиентов прежнего. Кажется, я не долж[ен|на] их видеть.',
          finding: 'Роль в системе {app} привязана к старой должности, перевод оформлен с опозданием на два дня.',
          fix: 'Роль в системе {app} приведена к новой должности, старая отозвана.',
        },
      },
    ],
  },
  {
    category: 'access',
    team: 'identity',
    service: 'directory',
    weight: 3,
    cases: [
      {
        en: {
          subjects: ['Sign-in page goes round in circles in {app}'],
          description:
            'When I open {app} the sign-in page flashes several times and I land on it again. In a private window it works.',
          finding: 'A cookie of the old sign-in address stays in the browser profile and wins over the new one.',
          fix: 'Removed the cookies of the old address; signed in without a loop.',
        },
        ru: {
          subjects: ['В системе {app} страница входа открывается по кругу'],
          description:
            'При открытии системы {app} страница входа мигает несколько раз и снова просит войти. В приватном окне работает.',
          finding: 'В профиле браузера осталась cookie старого адреса входа и перебивает новую.',
          fix: 'Cookie старого адреса удалены, вход без зацикливания.',
        },
      },
      {
        en: {
          subjects: ['{app} signs me out every {minutes} minutes'],
          description: 'Since {time} {app} asks me to sign in every {minutes} minutes and I lose what I typed.',
          finding: 'Clock of {asset} is three minutes ahead, tokens look expired.',
          fix: 'Time synchronisation repaired on {asset}.',
        },
        ru: {
          subjects: ['{app} выбрасывает каждые {minutes} минут'],
          description: 'С {time} {app} каждые {minutes} минут просит войти заново, введённые данные теряются.',
          finding: 'Часы {asset} спешат на три минуты, токены считаются просроченными.',
          fix: 'Синхронизация времени на {asset} исправлена.',
        },
      },
      {
        en: {
          subjects: ['Single sign-on does not work in a new browser'],
          description:
            'In the browser that I have since yesterday I must type user and password for {app}; in the old one I was in at once.',
          finding: "The new browser does not have the company's addresses as trusted.",
          fix: 'Policy for the new browser assigned; sign-in is silent after a restart.',
        },
        ru: {
          subjects: ['В новом браузере не работает единый вход'],
          description:
            'В браузере, который поставили вчера, для системы {app} приходится вводить имя и пароль; в старом вход был сразу.',
          finding: 'В новом браузере адреса компании не входят в доверенные.',
          fix: 'Назначена политика для нового браузера, после перезапуска вход без запросов.',
        },
      },
      {
        en: {
          subjects: ['My name is spelled wrong in all systems'],
          description:
            'A letter is missing in my surname everywhere, so partners write to an address that does not exist.',
          finding: 'HR has the right spelling; the account was made by hand from a letter.',
          fix: 'Corrected the account, kept the old address as an alias.',
        },
        ru: {
          subjects: ['Фамилия записана с ошибкой во всех системах'],
          description: 'Во всех системах в моей фамилии пропущена буква, партнёры пишут на несуществующий адрес.',
          finding: 'В кадровой системе написано верно; учётную запись создавали вручную по письму.',
          fix: 'Учётная запись исправлена, прежний адрес оставлен как дополнительный.',
        },
      },
    ],
  },
  {
    category: 'security',
    team: 'security',
    service: 'endpoint-security',
    weight: 5,
    cases: [
      {
        en: {
          subjects: ['Suspicious mail about an unpaid invoice'],
          description:
            'I received a mail with an invoice that we do not know, sender looks like our supplier but the address is different. I did not open the attachment.',
          finding: 'Mail went to 14 mailboxes, two people opened the link. Sender domain was registered yesterday.',
          fix: 'Mail withdrawn from all mailboxes, domain blocked, both people changed their passwords.',
        },
        ru: {
          subjects: ['Подозрительное письмо о неоплаченном счёте'],
          description:
            'Пришло письмо со счётом, о котором мы не знаем: отправитель похож на нашего поставщика, но адрес другой. Вложение не открывал[|а].',
          finding: 'Письмо пришло в 14 ящиков, ссылку открыли двое. Домен отправителя зарегистрирован вчера.',
          fix: 'Письмо отозвано из всех ящиков, домен заблокирован, оба сотрудника сменили пароли.',
        },
      },
      {
        en: {
          subjects: ['Clicked on a link in a strange e-mail'],
          description:
            'I clicked on the link and typed my password before I noticed that the address was wrong. What shall I do?',
          finding: 'No sign-ins from foreign addresses since the click; sessions ended, password reset.',
          fix: 'No damage found; the link is blocked, the account is watched for 30 days.',
        },
        ru: {
          subjects: ['Переш[ёл|ла] по ссылке из странного письма'],
          description:
            'Переш[ёл|ла] по ссылке и вв[ёл|ела] пароль, только потом заметил[|а], что адрес чужой. Что делать?',
          finding: 'После перехода входов с посторонних адресов нет; сеансы завершены, пароль сброшен.',
          fix: 'Следов вреда нет; ссылка заблокирована, учётная запись 30 дней под наблюдением.',
        },
      },
      {
        en: {
          subjects: ['Mail from the "director" asks for gift cards'],
          description: 'A mail in the name of our director asks me to buy gift cards and to keep quiet about it.',
          finding: 'Display name copied, address of a free mail service; nine more mails of the kind in quarantine.',
          fix: 'Thanked the caller for the report, the sample went to the filter supplier.',
        },
        ru: {
          subjects: ['Письмо якобы от директора с просьбой о переводе'],
          description: 'Письмо от имени директора просит срочно перевести деньги и никому об этом не говорить.',
          finding: 'Имя скопировано, адрес бесплатной почты; ещё девять таких писем в карантине.',
          fix: 'Поблагодарили за сообщение, образец передан поставщику фильтра.',
        },
      },
      {
        en: {
          subjects: ['Antivirus warning on {asset}'],
          description: 'The antivirus on {asset} reports a threat in a file that came from a partner, {code}.',
          finding: 'The file is a table with a macro and a known loader inside.',
          fix: 'File removed, {asset} checked, the partner is informed.',
        },
        ru: {
          subjects: ['Предупреждение антивируса на {asset}'],
          description: 'Антивирус на {asset} сообщает об угрозе в файле от партнёра, {code}.',
          finding: 'Это таблица с макросом, внутри известный загрузчик.',
          fix: 'Файл удалён, {asset} проверен, партнёр предупреждён.',
        },
      },
      {
        en: {
          subjects: ['Pop-up says the computer is infected'],
          description: 'A red window says that the computer is infected and I should call a number. I cannot close it.',
          finding: 'A browser notification of an advertising site, no malware on {asset}.',
          fix: "Removed the site's right to show notifications; full scan is clean.",
        },
        ru: {
          subjects: ['Всплывает окно, что компьютер заражён'],
          description: 'Красное окно пишет, что компьютер заражён и надо звонить по номеру. Закрыть не получается.',
          finding: 'Это уведомление браузера от рекламного сайта, вредоносного кода на {asset} нет.',
          fix: 'У сайта отозвано право показывать уведомления, полная проверка чистая.',
        },
      },
    ],
  },
  {
    category: 'security',
    team: 'security',
    service: 'endpoint-security',
    weight: 2,
    cases: [
      {
        en: {
          subjects: ['Disk encryption asks for a recovery key on {asset}'],
          description: 'After the update the laptop {asset} asks for a long recovery key at start. I have no such key.',
          finding: 'Firmware update changed the boot measurements, hence the recovery screen.',
          fix: 'Read out the recovery key by phone after an identity check; protection sealed again.',
        },
        ru: {
          subjects: ['Шифрование диска просит ключ восстановления на {asset}'],
          description:
            'После обновления ноутбук {asset} при включении просит длинный ключ восстановления. Такого ключа у меня нет.',
          finding: 'Обновление прошивки изменило параметры загрузки, поэтому появился запрос ключа.',
          fix: 'После проверки личности продиктовали ключ восстановления, защита восстановлена.',
        },
      },
      {
        en: {
          subjects: ['Laptop {asset} lost on the train'],
          description: 'I left my laptop on the train this morning. It was switched off.',
          finding: 'Disk of {asset} is encrypted, last sign-in was yesterday evening; remote wipe queued.',
          fix: 'Device marked as lost, certificates revoked, replacement issued.',
        },
        ru: {
          subjects: ['Ноутбук {asset} забыт в поезде'],
          description: 'Утром забыл[|а] ноутбук в электричке. Он был выключен.',
          finding: 'Диск {asset} зашифрован, последний вход был вчера вечером; поставлено удалённое стирание.',
          fix: 'Устройство отмечено утерянным, сертификаты отозваны, выдана замена.',
        },
      },
      {
        en: {
          subjects: ['USB stick is blocked'],
          description: 'The measuring instrument stores data on a USB stick and the computer refuses it with {code}.',
          finding: "The stick's serial number is not on the list of allowed devices.",
          fix: 'Exception for this stick by serial number, valid for 90 days.',
        },
        ru: {
          subjects: ['Заблокирована флешка'],
          description: 'Прибор сохраняет измерения на флешку, а компьютер её не принимает: {code}.',
          finding: 'Серийного номера флешки нет в списке разрешённых.',
          fix: 'Сделано исключение для флешки по серийному номеру на 90 дней.',
        },
      },
      {
        en: {
          subjects: ['Program needed for work is blocked by protection'],
          description: "The supplier's program for the measuring bench has been blocked since this morning, {code}.",
          finding: 'The protection service does not know the new version yet.',
          fix: 'File checked and allowed by its signature.',
        },
        ru: {
          subjects: ['Защита блокирует нужную для работы программу'],
          description: 'С утра блокируется программа поставщика для измерительного стенда, {code}.',
          finding: 'Служба защиты ещё не знает новую версию.',
          fix: 'Файл проверен и разрешён по подписи.',
        },
      },
    ],
  },
]
