import type { Topic } from './topic.ts'

export const infrastructureTopics: readonly Topic[] = [
  {
    category: 'software',
    team: 'servers',
    service: 'file-share',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['No space left in the folder {share}'],
          description: 'We cannot save to {share}: not enough space. Tender documents must go out at {soon}.',
          finding: 'Quota of {share} is used up, 60 % are video recordings.',
          fix: 'Raised the quota by {size} GB until the owner cleans up.',
        },
        ru: {
          subjects: ['Нет места в папке {share}'],
          description: 'Не сохраняется в {share}: недостаточно места. Документы на тендер надо отправить в {soon}.',
          finding: 'Квота {share} исчерпана, 60 % занимают видеозаписи.',
          fix: 'Квота увеличена на {size} ГБ, пока владелец наводит порядок.',
        },
      },
      {
        en: {
          subjects: ['File in {share} was deleted by mistake'],
          description: 'Somebody deleted the folder with the projects of this year from {share}. Please bring it back.',
          finding: 'The folder was moved into another one at {time}, not deleted.',
          fix: 'Moved the folder back, rights are in place.',
        },
        ru: {
          subjects: ['Случайно удалён файл в {share}'],
          description: 'Кто-то удалил из {share} папку с проектами этого года. Верните, пожалуйста.',
          finding: 'Папка в {time} перенесена в другую, а не удалена.',
          fix: 'Папка возвращена, права на месте.',
        },
      },
      {
        en: {
          subjects: ['Network drive is not connected'],
          description: 'After sign-in the network drive is missing, by the address it opens.',
          finding: 'Drive mapping runs before the network is up.',
          fix: 'Mapping waits for the network now.',
        },
        ru: {
          subjects: ['Не подключается сетевой диск'],
          description: 'После входа нет сетевого диска, по адресу папка открывается.',
          finding: 'Подключение диска выполняется раньше, чем поднимается сеть.',
          fix: 'Подключение диска теперь ждёт сеть.',
        },
      },
      {
        en: {
          subjects: ['Files in {share} open read-only'],
          description: 'All files in {share} open read-only since {time}, we cannot save.',
          finding: 'The lock of a virus scan stays on the folder.',
          fix: 'Scan ended, lock released.',
        },
        ru: {
          subjects: ['Файлы в {share} открываются только для чтения'],
          description: 'С {time} все файлы в {share} открываются только для чтения, сохранить нельзя.',
          finding: 'На папке осталась блокировка антивирусной проверки.',
          fix: 'Проверка завершена, блокировка снята.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'servers',
    service: 'database',
    weight: 4,
    monitored: true,
    cases: [
      {
        en: {
          subjects: ['Disk of {host} is {percent} % full'],
          description: 'Monitoring: free space on {host} ({ip}) below the limit since {time}.',
          finding: 'Log files were not archived since the copy job stopped.',
          fix: 'Archived the logs, the disk is at 61 %.',
        },
        ru: {
          subjects: ['Диск {host} заполнен на {percent} %'],
          description: 'Мониторинг: с {time} свободное место на {host} ({ip}) ниже порога.',
          finding: 'Журналы не архивируются с момента остановки задания копирования.',
          fix: 'Журналы заархивированы, диск занят на 61 %.',
        },
      },
      {
        en: {
          subjects: ['Replication on {host} lags by {minutes} minutes'],
          description: 'Monitoring: replica {host} is {minutes} minutes behind.',
          finding: 'A long transaction of a report holds the cleaning.',
          fix: 'Ended the report after agreement with its owner; the lag is gone.',
        },
        ru: {
          subjects: ['Репликация {host} отстаёт на {minutes} минут'],
          description: 'Мониторинг: реплика {host} отстаёт на {minutes} минут.',
          finding: 'Длинная транзакция отчёта держит очистку.',
          fix: 'Отчёт завершён по согласованию с владельцем, отставания нет.',
        },
      },
      {
        en: {
          subjects: ['Database on {host} answers slowly'],
          description: 'Monitoring: average answer time of {host} above two seconds for {minutes} minutes.',
          finding: 'A long transaction of a report holds the cleaning.',
          fix: 'Ended the report after agreement with its owner; answers are quick again.',
        },
        ru: {
          subjects: ['База на {host} медленно отвечает'],
          description: 'Мониторинг: среднее время ответа {host} больше двух секунд в течение {minutes} минут.',
          finding: 'Длинная транзакция отчёта держит очистку.',
          fix: 'Отчёт завершён по согласованию с владельцем, ответы снова быстрые.',
        },
      },
      {
        en: {
          subjects: ['Too many connections on {host}'],
          description: 'Monitoring: {host} has used 95 % of its connections for {minutes} minutes.',
          finding: 'An application opens a connection for each request after its update.',
          fix: 'The application team switched the pool on again.',
        },
        ru: {
          subjects: ['Слишком много подключений к {host}'],
          description: 'Мониторинг: {host} занял 95 % подключений, уже {minutes} минут.',
          finding: 'После обновления приложение открывает подключение на каждый запрос.',
          fix: 'Команда приложения снова включила пул.',
        },
      },
      {
        en: {
          subjects: ['Processor load on {host} above 95 %'],
          description: 'Monitoring: processors of {host} above 95 % since {time}.',
          finding: 'Two index rebuilds run at the same time as the daily close.',
          fix: 'Rebuilds moved to the night.',
        },
        ru: {
          subjects: ['Загрузка процессора {host} выше 95 %'],
          description: 'Мониторинг: с {time} процессоры {host} загружены больше чем на 95 %.',
          finding: 'Две перестройки индексов идут одновременно с закрытием дня.',
          fix: 'Перестройки перенесены на ночь.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'servers',
    service: 'backup',
    weight: 4,
    monitored: true,
    cases: [
      {
        en: {
          subjects: ['Backup of {host} failed with {code}'],
          description:
            'Monitoring: the nightly copy of {host} ended with {code}. The last good copy is of the day before.',
          finding: 'Snapshot of {host} could not be made: an old one was left.',
          fix: 'Removed the left snapshot, the copy went through.',
        },
        ru: {
          subjects: ['Копирование {host} завершилось с {code}'],
          description:
            'Мониторинг: ночная копия {host} завершилась с {code}. Последняя исправная копия за позапрошлую ночь.',
          finding: 'Не создаётся снимок {host}: остался старый.',
          fix: 'Оставшийся снимок удалён, копирование прошло.',
        },
      },
      {
        en: {
          subjects: ['Backup of {host} runs longer than its window'],
          description: 'Monitoring: the copy of {host} is still running at {time}.',
          finding: 'The repository was full for two hours while old copies were merged.',
          fix: 'Repeated the copy by day, successful.',
        },
        ru: {
          subjects: ['Копирование {host} не укладывается в окно'],
          description: 'Мониторинг: копирование {host} в {time} ещё идёт.',
          finding: 'Хранилище два часа было заполнено, пока объединялись старые копии.',
          fix: 'Копия повторена днём, успешно.',
        },
      },
      {
        en: {
          subjects: ['Backup of {share} was skipped'],
          description: "Monitoring: {share} is missing in last night's copy, {code}.",
          finding: 'The copy account lost its rights when the folder was moved.',
          fix: 'Rights restored, the copy was made by day.',
        },
        ru: {
          subjects: ['Пропущено копирование {share}'],
          description: 'Мониторинг: в ночной копии нет {share}, {code}.',
          finding: 'При переносе папки учётная запись копирования потеряла права.',
          fix: 'Права возвращены, копия сделана днём.',
        },
      },
      {
        en: {
          subjects: ['Restore test of {host} failed'],
          description: 'Monitoring: {host} restored from the copy did not start within {minutes} minutes.',
          finding: 'The test network has no licence server, the service waits for it.',
          fix: 'Licence server added to the test network, the test passed.',
        },
        ru: {
          subjects: ['Не прошла проверка восстановления {host}'],
          description: 'Мониторинг: восстановленный из копии {host} не запустился за {minutes} минут.',
          finding: 'В тестовой сети нет сервера лицензий, служба ждёт его.',
          fix: 'Сервер лицензий добавлен в тестовую сеть, проверка пройдена.',
        },
      },
    ],
  },
  {
    category: 'security',
    team: 'servers',
    service: 'directory',
    weight: 3,
    monitored: true,
    cases: [
      {
        en: {
          subjects: ['Certificate of {host} expires in {count} days'],
          description: 'Monitoring: the certificate of {host} expires in {count} days.',
          finding: 'Automatic renewal fails: the address for the check moved behind the new proxy.',
          fix: 'Certificate renewed, the automatic way is repaired too.',
        },
        ru: {
          subjects: ['Сертификат {host} истекает через {count} дн.'],
          description: 'Мониторинг: сертификат {host} истекает через {count} дн.',
          finding: 'Автоматическое продление не проходит: адрес проверки ушёл за новый прокси.',
          fix: 'Сертификат продлён, автоматическое продление исправлено.',
        },
      },
      {
        en: {
          subjects: ['{host} restarted unexpectedly'],
          description: 'Monitoring: {host} ({ip}) restarted at {time}, the reason is unknown.',
          finding: 'The machine was moved to another physical server after a memory error.',
          fix: 'Memory module replaced under the maintenance contract.',
        },
        ru: {
          subjects: ['Неожиданная перезагрузка {host}'],
          description: 'Мониторинг: {host} ({ip}) перезагрузился в {time}, причина неизвестна.',
          finding: 'После ошибки памяти машина перенесена на другой физический сервер.',
          fix: 'Модуль памяти заменён по договору обслуживания.',
        },
      },
      {
        en: {
          subjects: ['Service on {host} does not start'],
          description: 'Monitoring: a service on {host} has been down since {time}.',
          finding: 'The password of its account was changed by the rotation, this service was not on the list.',
          fix: 'The service runs under a managed account now.',
        },
        ru: {
          subjects: ['Не запускается служба на {host}'],
          description: 'Мониторинг: служба на {host} не работает с {time}.',
          finding: 'Пароль её учётной записи сменён ротацией, этой службы не было в списке.',
          fix: 'Служба переведена на управляемую учётную запись.',
        },
      },
      {
        en: {
          subjects: ['Time on {host} is off'],
          description: 'Monitoring: the clock of {host} is off by {count} seconds.',
          finding: 'It takes the time from the virtual host instead of our server.',
          fix: 'Source corrected, offset 4 ms.',
        },
        ru: {
          subjects: ['Сбилось время на {host}'],
          description: 'Мониторинг: часы {host} расходятся на {count} с.',
          finding: 'Время берётся с узла виртуализации, а не с нашего сервера.',
          fix: 'Источник исправлен, расхождение 4 мс.',
        },
      },
    ],
  },
  {
    category: 'software',
    team: 'servers',
    service: 'vpn',
    weight: 4,
    cases: [
      {
        en: {
          subjects: ['Remote desktop disconnects'],
          description: 'The remote desktop drops me every {minutes} minutes; programs stay open and I can return.',
          finding: 'Load balancer closes idle connections after {minutes} minutes.',
          fix: 'Set keep-alive on the client.',
        },
        ru: {
          subjects: ['Обрывается удалённый рабочий стол'],
          description:
            'Удалённый рабочий стол отключается каждые {minutes} минут, программы остаются открытыми, можно вернуться.',
          finding: 'Балансировщик закрывает простаивающие подключения через {minutes} минут.',
          fix: 'На клиенте включено поддержание соединения.',
        },
      },
      {
        en: {
          subjects: ['Session on {host} hangs at "Please wait"'],
          description: 'After sign-in the screen stays at "Please wait" on {host}.',
          finding: 'User profile on {host} has grown to {size} GB, loading times out.',
          fix: 'Cleaned the profile, sign-in takes 15 seconds.',
        },
        ru: {
          subjects: ['Сеанс на {host} висит на «Подождите»'],
          description: 'После входа на {host} экран остаётся на «Подождите».',
          finding: 'Профиль пользователя на {host} вырос до {size} ГБ, загрузка не успевает.',
          fix: 'Профиль очищен, вход занимает 15 секунд.',
        },
      },
      {
        en: {
          subjects: ['Cannot copy files into the remote desktop'],
          description: 'The clipboard does not work any more, I have to send myself mails.',
          finding: 'Clipboard is switched off for groups with personal data.',
          fix: 'Explained the way through the exchange folder.',
        },
        ru: {
          subjects: ['Не копируются файлы в удалённый рабочий стол'],
          description: 'Перестал работать буфер обмена, приходится слать себе письма.',
          finding: 'Для групп с персональными данными буфер обмена отключён.',
          fix: 'Объяснили, как пользоваться папкой обмена.',
        },
      },
      {
        en: {
          subjects: ['Remote desktop: "no licence available"'],
          description: 'The remote desktop says that no licence is available, for the whole department since {time}.',
          finding: 'The licence server has not been reachable since its move.',
          fix: 'Address of the licence server corrected by policy.',
        },
        ru: {
          subjects: ['Удалённый рабочий стол: «нет лицензий»'],
          description: 'С {time} у всего отдела удалённый рабочий стол пишет, что нет лицензий.',
          finding: 'После переноса недоступен сервер лицензий.',
          fix: 'Адрес сервера лицензий исправлен политикой.',
        },
      },
    ],
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'call-centre',
    weight: 3,
    cases: [
      {
        en: {
          subjects: ['Hotline callers hear silence'],
          description: 'Customers say that the hotline is silent after the greeting. About one in five.',
          finding: 'One of two voice gateways has no route to the queue server.',
          fix: 'Took the gateway out of service, its route is repaired, back in service.',
        },
        ru: {
          subjects: ['На горячей линии тишина'],
          description: 'Клиенты говорят, что после приветствия на горячей линии тишина. Примерно каждый пятый звонок.',
          finding: 'У одного из двух голосовых шлюзов нет маршрута до сервера очередей.',
          fix: 'Шлюз выведен из работы, маршрут исправлен, возвращён в работу.',
        },
      },
      {
        en: {
          subjects: ['Agents are logged out of the queue'],
          description: 'All agents of the evening shift were logged out of the queue at {time}.',
          finding: 'The queue server restarted at {time} after an update.',
          fix: 'Agents signed in again; updates are on Sunday night from now on.',
        },
        ru: {
          subjects: ['Операторов выбрасывает из очереди'],
          description: 'В {time} всех операторов вечерней смены выбросило из очереди.',
          finding: 'Сервер очередей в {time} перезапустился после обновления.',
          fix: 'Операторы вошли заново; обновления теперь в ночь на воскресенье.',
        },
      },
      {
        en: {
          subjects: ['Call recordings are missing since {time}'],
          description: 'Recordings end at {time}. Quality control needs those of the afternoon.',
          finding: 'Recording server has no space since {time}.',
          fix: 'Space freed, recording runs; what was lost is listed for the manager.',
        },
        ru: {
          subjects: ['С {time} нет записей разговоров'],
          description: 'Записи обрываются на {time}. Контролю качества нужны послеобеденные.',
          finding: 'На сервере записи с {time} нет места.',
          fix: 'Место освобождено, запись идёт; список потерянного передан руководителю.',
        },
      },
      {
        en: {
          subjects: ['Voice menu plays the old announcement'],
          description: 'The voice menu still wishes a happy new year.',
          finding: 'The seasonal announcement has no end date.',
          fix: 'Removed it, set end dates for the others.',
        },
        ru: {
          subjects: ['Голосовое меню играет старое объявление'],
          description: 'Голосовое меню всё ещё поздравляет с Новым годом.',
          finding: 'У сезонного объявления нет даты окончания.',
          fix: 'Объявление снято, остальным поставлены даты окончания.',
        },
      },
    ],
  },
]
