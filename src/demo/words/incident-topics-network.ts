import type { Topic } from './topic.ts'

export const networkTopics: readonly Topic[] = [
  {
    category: 'network',
    team: 'network',
    service: 'vpn',
    weight: 9,
    cases: [
      {
        en: {
          subjects: [
            'VPN does not connect, error {code}',
            'Cannot connect to VPN from home',
            'VPN stopped working after the client update',
          ],
          description:
            'Since {time} the VPN client shows {code} about twenty seconds after I press Connect. My home internet works, other sites open. Yesterday everything was fine.',
          finding: 'Client version is two releases behind, the profile on {asset} points at the retired gateway.',
          fix: 'Updated the client to the current version and assigned the new gateway profile.',
        },
        ru: {
          subjects: [
            'Не подключается VPN, ошибка {code}',
            'Нет подключения к VPN из дома',
            'После обновления клиента перестал работать VPN',
          ],
          description:
            'С {time} клиент VPN примерно через двадцать секунд показывает {code}. Домашний интернет работает, остальные сайты открываются. Вчера всё было нормально.',
          finding: 'Версия клиента устарела на два выпуска, профиль на {asset} указывает на выведенный из работы шлюз.',
          fix: 'Клиент обновлён до текущей версии, назначен профиль нового шлюза.',
        },
      },
      {
        en: {
          subjects: ['VPN connects but no internal site opens'],
          description:
            'I am working from home today. The VPN client says "connected", but the intranet and {app} time out. Restarted the laptop ({asset}) and the router, no change.',
          finding: "Caller's home network uses the same address range as the {app} servers; routes overlap.",
          fix: 'Switched the profile to full tunnel, so the overlapping home range no longer matters.',
        },
        ru: {
          subjects: ['VPN подключён, но внутренние сайты не открываются'],
          description:
            'Работаю из дома. Клиент VPN пишет «подключено», но портал и {app} не отвечают. Перезагрузил[|а] ноутбук {asset} и роутер, не помогло.',
          finding:
            'Домашняя сеть пользователя имеет ту же адресацию, что и серверы системы {app}, маршруты пересекаются.',
          fix: 'Профиль переведён на полный туннель, пересечение с домашней сетью больше не мешает.',
        },
      },
      {
        en: {
          subjects: ['VPN asks for the password again and again'],
          description:
            'The client keeps asking for my password. I changed it on the office computer last week, the new one works everywhere else.',
          finding: 'Gateway log shows rejected logins for this user: the client sends the old cached password.',
          fix: 'Removed the stored credentials in the VPN client and imported the current profile. Connection is stable, the caller confirmed.',
        },
        ru: {
          subjects: ['VPN постоянно запрашивает пароль'],
          description:
            'Клиент снова и снова спрашивает пароль. На прошлой неделе я менял[|а] пароль на рабочем компьютере, новый пароль везде подходит.',
          finding: 'В журнале шлюза отказы по паролю: клиент отправляет старый сохранённый пароль.',
          fix: 'Удалены сохранённые учётные данные в клиенте VPN, загружен актуальный профиль. Соединение устойчивое, пользователь подтвердил.',
        },
      },
    ],
  },
  {
    category: 'network',
    team: 'network',
    service: 'vpn',
    weight: 5,
    cases: [
      {
        en: {
          subjects: ['VPN drops every {minutes} minutes', 'VPN session ends when the screen is locked'],
          description:
            'The VPN connection breaks about every {minutes} minutes and I have to sign in again. In meetings this is very annoying.',
          finding:
            'The client renegotiates every {minutes} minutes: session life on the second gateway differs from the first.',
          fix: 'Aligned the session life on both gateways. Asked the caller to reconnect once.',
        },
        ru: {
          subjects: ['VPN обрывается каждые {minutes} минут', 'Сеанс VPN завершается при блокировке экрана'],
          description:
            'Соединение VPN рвётся примерно каждые {minutes} минут, приходится входить заново. На совещаниях это очень мешает.',
          finding:
            'Клиент пересогласует сеанс каждые {minutes} минут: время жизни сеанса на втором шлюзе отличается от первого.',
          fix: 'Время жизни сеанса на шлюзах приведено к одному значению. Пользователь один раз переподключился.',
        },
      },
      {
        en: {
          subjects: ['Very slow over VPN since this morning', 'Files open for minutes over VPN'],
          description:
            'Over VPN a document from the share {share} takes several minutes to open. In the office the same file opens at once.',
          finding: "Packet loss of 6 % between the caller's provider and our gateway, seen from both ends.",
          fix: 'Moved the user to the second gateway; no drops during two hours of observation.',
        },
        ru: {
          subjects: ['С утра очень медленно работает VPN', 'Через VPN файлы открываются по несколько минут'],
          description:
            'Через VPN документ из папки {share} открывается несколько минут. В офисе тот же файл открывается сразу.',
          finding: 'Между провайдером пользователя и нашим шлюзом теряется 6 % пакетов, видно с обеих сторон.',
          fix: 'Пользователь переведён на второй шлюз, за два часа наблюдения обрывов нет.',
        },
      },
    ],
  },
  {
    category: 'network',
    team: 'network',
    service: 'wifi',
    weight: 7,
    cases: [
      {
        en: {
          subjects: ['No Wi-Fi on floor {floor}', 'Wi-Fi very slow on floor {floor}'],
          description:
            'On floor {floor} the wireless network disappears every few minutes, for everybody around me. With a cable it works.',
          finding:
            'Access point of floor {floor} rebooted four times since {time}: power budget of the switch is exceeded.',
          fix: 'Moved two access points to another switch; no reboots since.',
        },
        ru: {
          subjects: ['Нет Wi-Fi на {floor} этаже', 'Очень медленный Wi-Fi, {floor} этаж'],
          description:
            'На {floor} этаже беспроводная сеть пропадает каждые несколько минут, у всех вокруг так же. По кабелю работает.',
          finding:
            'Точка доступа {floor} этажа с {time} перезагрузилась четыре раза: превышен бюджет питания коммутатора.',
          fix: 'Две точки доступа перенесены на другой коммутатор, перезагрузок больше нет.',
        },
      },
      {
        en: {
          subjects: ['Laptop does not see the office Wi-Fi'],
          description:
            'My laptop {asset} shows only the guest network. My colleague sits next to me and has the office network.',
          finding: 'The wireless certificate on {asset} expired.',
          fix: 'Renewed the computer certificate, the laptop joined by itself.',
        },
        ru: {
          subjects: ['Ноутбук не видит офисный Wi-Fi'],
          description: 'Ноутбук {asset} видит только гостевую сеть. У коллеги за соседним столом офисная сеть есть.',
          finding: 'На {asset} истёк сертификат беспроводной сети.',
          fix: 'Сертификат компьютера перевыпущен, ноутбук подключился сам.',
        },
      },
      {
        en: {
          subjects: ['Wi-Fi keeps disconnecting in meeting room {room}'],
          description: 'In {room} the connection breaks several times in every meeting, for everybody.',
          finding: "Channel overlap with the neighbour's access points near {room}, noise above normal.",
          fix: 'Fixed the channel plan around {room} and lowered the transmit power. Measured again: normal.',
        },
        ru: {
          subjects: ['Пропадает Wi-Fi в переговорной {room}'],
          description: 'В переговорной {room} связь обрывается по несколько раз за встречу, у всех.',
          finding: 'Рядом с {room} пересечение каналов с точками соседей, шум выше нормы.',
          fix: 'Исправлен частотный план возле {room}, снижена мощность. Повторный замер в норме.',
        },
      },
      {
        en: {
          subjects: ['Guest Wi-Fi page does not open'],
          description:
            'Visitors in {room} get the guest network but the sign-in page stays blank, so they have no internet.',
          finding: 'The sign-in page of the guest network answers with an expired certificate.',
          fix: "Renewed the certificate of the page; a visitor's phone signed in.",
        },
        ru: {
          subjects: ['Не открывается страница гостевого Wi-Fi'],
          description:
            'Гости в переговорной {room} подключаются к гостевой сети, но страница входа пустая, интернета нет.',
          finding: 'Страница входа гостевой сети отдаёт просроченный сертификат.',
          fix: 'Сертификат страницы продлён, телефон гостя подключился.',
        },
      },
    ],
  },
  {
    category: 'network',
    team: 'network',
    service: 'lan',
    weight: 4,
    cases: [
      {
        en: {
          subjects: [
            'Network socket at my desk is dead',
            'No network after moving to floor {floor}',
            'Docking station has no network, cable is fine',
          ],
          description:
            'We moved desks at the weekend. The socket {socket} gives no network, the light on the dock stays off.',
          finding: 'Port {socket} is administratively down: it was switched off as unused after the last audit.',
          fix: 'Enabled the port and put it into the office network.',
        },
        ru: {
          subjects: [
            'Не работает сетевая розетка на рабочем месте',
            'Нет сети после переезда на {floor} этаж',
            'Док-станция не видит сеть, кабель исправен',
          ],
          description:
            'На выходных переехали на другие места. Розетка {socket} не даёт сеть, индикатор на док-станции не горит.',
          finding: 'Порт {socket} отключён административно: после последней ревизии закрыт как неиспользуемый.',
          fix: 'Порт включён и переведён в офисную сеть.',
        },
      },
      {
        en: {
          subjects: ['Printer and two computers lost the network on floor {floor}'],
          description:
            'Since {time} three places in our room have no network. We pulled the cables out and in, nothing.',
          finding: 'Patch cable of {socket} is not connected in the cabinet of floor {floor}.',
          fix: 'Connected {socket} in the cabinet, checked with the caller.',
        },
        ru: {
          subjects: ['Принтер и два компьютера без сети, {floor} этаж'],
          description: 'С {time} на трёх местах в нашем кабинете нет сети. Кабели передёргивали, не помогло.',
          finding: 'В шкафу {floor} этажа розетка {socket} не скроссирована.',
          fix: 'Розетка {socket} скроссирована, вместе с пользователем проверили.',
        },
      },
    ],
  },
  {
    category: 'network',
    team: 'network',
    service: 'internet',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Internet is very slow in the whole office', 'Web pages open only at the second attempt'],
          description:
            'Pages load for half a minute, video calls freeze. Everyone in the office complains since {time}.',
          finding:
            'The main line of this office is at 100 % since {time}: one computer uploads a backup to a cloud disk.',
          fix: 'Limited the upload, the line is at 40 % now; talked to the owner of the computer.',
        },
        ru: {
          subjects: ['Во всём офисе очень медленный интернет', 'Страницы открываются только со второго раза'],
          description: 'Страницы грузятся по полминуты, видеозвонки зависают. С {time} жалуется весь офис.',
          finding: 'Основной канал офиса с {time} загружен на 100 %: один компьютер выгружает копию в облачный диск.',
          fix: 'Выгрузка ограничена, канал загружен на 40 %; с владельцем компьютера поговорили.',
        },
      },
      {
        en: {
          subjects: ["A supplier's web site is blocked", "Cannot download from a partner's portal, error {code}"],
          description:
            'I need the portal of our supplier for orders. The browser shows our block page with {code}. Please open it, we have a deadline today.',
          finding: 'The site was put into the category "file exchange" by the filter supplier.',
          fix: 'Added an exception for the department, approved by information security.',
        },
        ru: {
          subjects: ['Заблокирован сайт поставщика', 'Не скачиваются файлы с портала партнёра, ошибка {code}'],
          description:
            'Для заказов нужен портал поставщика, а браузер показывает нашу страницу блокировки с кодом {code}. Прошу открыть, срок сегодня.',
          finding: 'Поставщик фильтра отнёс сайт к категории «обмен файлами».',
          fix: 'Добавлено исключение для подразделения, согласовано с информационной безопасностью.',
        },
      },
    ],
  },
  {
    category: 'network',
    team: 'network',
    service: 'lan',
    weight: 2,
    monitored: true,
    cases: [
      {
        en: {
          subjects: ['Switch {host} does not answer', 'Link to the branch office is down ({host})'],
          description: 'Monitoring: {host} ({ip}) has not answered since {time}. Affected: floor {floor}.',
          finding: 'Power was off in that cabinet; the electrician works on floor {floor}.',
          fix: 'Power is back, all ports are up, alarms are clear.',
        },
        ru: {
          subjects: ['Не отвечает коммутатор {host}', 'Нет связи с филиалом ({host})'],
          description: 'Мониторинг: {host} ({ip}) не отвечает с {time}. Затронут {floor} этаж.',
          finding: 'В шкафу отключено питание, на {floor} этаже работает электрик.',
          fix: 'Питание восстановлено, все порты поднялись, аварии сняты.',
        },
      },
      {
        en: {
          subjects: ['High packet loss on {host}'],
          description: 'Monitoring: errors on the uplink of {host} above the threshold for {minutes} minutes.',
          finding: 'Optical level of the uplink is at the lower limit, the patch cord is bent.',
          fix: 'Replaced the patch cord; no errors for an hour.',
        },
        ru: {
          subjects: ['Большие потери пакетов на {host}'],
          description: 'Мониторинг: ошибки на восходящем канале {host} выше порога в течение {minutes} минут.',
          finding: 'Уровень оптического сигнала на нижней границе, патч-корд перегнут.',
          fix: 'Патч-корд заменён, за час ошибок нет.',
        },
      },
      {
        en: {
          subjects: ['Temperature in the network room of floor {floor} above the limit'],
          description: 'Monitoring: 34 degrees in the network room of floor {floor} since {time}, the limit is 28.',
          finding: 'The cooling unit has stopped on a full condensate tank.',
          fix: 'Tank emptied, building service repairs the pump; 23 degrees now.',
        },
        ru: {
          subjects: ['Температура в кроссовой {floor} этажа выше порога'],
          description: 'Мониторинг: в кроссовой {floor} этажа с {time} 34 градуса при пороге 28.',
          finding: 'Кондиционер остановился: переполнен бак конденсата.',
          fix: 'Бак опорожнён, служба здания чинит помпу; сейчас 23 градуса.',
        },
      },
    ],
  },
]
