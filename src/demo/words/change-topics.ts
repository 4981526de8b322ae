import type { InBoth } from './language.ts'
import type { ServiceKey } from './services.ts'
import type { Team } from './teams.ts'
import type { Category } from './topic.ts'

export interface ChangeTopic
  extends InBoth<{ readonly subject: string; readonly description: string; readonly backout: string }> {
  readonly category: Category
  readonly team: Team
  readonly service: ServiceKey
  readonly type: 'standard' | 'normal' | 'emergency'
  readonly risk: '1' | '2' | '3' | '4'
}

export const changeTopics: readonly ChangeTopic[] = [
  {
    category: 'network',
    team: 'network',
    service: 'vpn',
    type: 'normal',
    risk: '3',
    en: {
      subject: 'Update of the VPN gateways',
      description: 'Both gateways get the current release, one after the other; users reconnect once.',
      backout: 'Return to the previous image, it stays on the second partition.',
    },
    ru: {
      subject: 'Обновление шлюзов VPN',
      description: 'Оба шлюза по очереди переводятся на текущий выпуск, пользователи один раз переподключаются.',
      backout: 'Вернуть прежний образ, он остаётся во втором разделе.',
    },
  },
  {
    category: 'network',
    team: 'network',
    service: 'lan',
    type: 'normal',
    risk: '2',
    en: {
      subject: 'Replacement of switch {host}',
      description: 'The switch is out of support. Floor {floor} is without network for {minutes} minutes.',
      backout: 'The old switch stays in the cabinet and is connected again.',
    },
    ru: {
      subject: 'Замена коммутатора {host}',
      description: 'Коммутатор снят с поддержки. {floor} этаж без сети {minutes} минут.',
      backout: 'Старый коммутатор остаётся в шкафу и подключается обратно.',
    },
  },
  {
    category: 'network',
    team: 'network',
    service: 'wifi',
    type: 'standard',
    risk: '4',
    en: {
      subject: 'New access points on floor {floor}',
      description: 'Three access points by the plan of the survey.',
      backout: 'Switch the new points off.',
    },
    ru: {
      subject: 'Новые точки доступа на {floor} этаже',
      description: 'Три точки доступа по плану радиообследования.',
      backout: 'Выключить новые точки.',
    },
  },
  {
    category: 'mail',
    team: 'mail',
    service: 'mail',
    type: 'normal',
    risk: '2',
    en: {
      subject: 'Move of mailboxes to the new storage, part {count}',
      description: 'Mailboxes are moved by night in groups of forty, mail stays available.',
      backout: 'A mailbox that fails stays where it is.',
    },
    ru: {
      subject: 'Перенос ящиков на новое хранилище, часть {count}',
      description: 'Ящики переносятся ночью группами по сорок, почта доступна.',
      backout: 'Ящик с ошибкой остаётся на прежнем месте.',
    },
  },
  {
    category: 'access',
    team: 'identity',
    service: 'mfa',
    type: 'normal',
    risk: '2',
    en: {
      subject: 'Second factor becomes mandatory for {app}',
      description: 'Everybody in {app} confirms the sign-in from Monday on; 92 % have registered a device.',
      backout: 'Take the policy back for the group.',
    },
    ru: {
      subject: 'Обязательный второй фактор для системы {app}',
      description: 'С понедельника все в системе {app} подтверждают вход, устройство зарегистрировали 92 %.',
      backout: 'Снять политику с группы.',
    },
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'erp',
    type: 'normal',
    risk: '2',
    en: {
      subject: 'ERP: monthly release',
      description: 'Fourteen corrections and two reports, accepted by the key users on the test system.',
      backout: 'Restore the copy that is made before the start; {minutes} minutes.',
    },
    ru: {
      subject: 'ERP: ежемесячный выпуск',
      description: 'Четырнадцать исправлений и два отчёта, приняты ключевыми пользователями на тестовой базе.',
      backout: 'Восстановить копию, сделанную перед началом, {minutes} минут.',
    },
  },
  {
    category: 'business_app',
    team: 'erp',
    service: 'edi',
    type: 'standard',
    risk: '4',
    en: {
      subject: 'Renewal of signature certificates',
      description: 'Certificates of {count} signatories are replaced before they expire.',
      backout: 'The old ones are valid for a week more.',
    },
    ru: {
      subject: 'Замена сертификатов подписи',
      description: 'Сертификаты {count} подписантов заменяются до окончания срока.',
      backout: 'Прежние действуют ещё неделю.',
    },
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'crm',
    type: 'normal',
    risk: '3',
    en: {
      subject: 'CRM: new version of the mail connector',
      description: 'The connector keeps its permission when a password changes.',
      backout: 'Install the previous version.',
    },
    ru: {
      subject: 'CRM: новая версия почтового коннектора',
      description: 'Коннектор сохраняет разрешение при смене пароля.',
      backout: 'Установить предыдущую версию.',
    },
  },
  {
    category: 'business_app',
    team: 'applications',
    service: 'wms',
    type: 'normal',
    risk: '2',
    en: {
      subject: 'WMS: update of handheld terminals',
      description: 'Terminals are updated gate by gate between shifts.',
      backout: 'Spare terminals with the old version stay charged.',
    },
    ru: {
      subject: 'WMS: обновление терминалов',
      description: 'Терминалы обновляются по воротам между сменами.',
      backout: 'Запасные терминалы со старой версией держим заряженными.',
    },
  },
  {
    category: 'software',
    team: 'servers',
    service: 'database',
    type: 'normal',
    risk: '1',
    en: {
      subject: 'Database {host}: new major version',
      description: 'Upgrade by replication: writing stops for about {minutes} minutes in the night.',
      backout: 'The old server follows the new one for a week and can take over.',
    },
    ru: {
      subject: 'База {host}: новая основная версия',
      description: 'Обновление через репликацию: ночью запись остановлена примерно на {minutes} минут.',
      backout: 'Старый сервер неделю следует за новым и может принять нагрузку.',
    },
  },
  {
    category: 'software',
    team: 'servers',
    service: 'file-share',
    type: 'standard',
    risk: '4',
    en: {
      subject: 'Extension of {share} by {size} GB',
      description: 'The owner pays, space is there.',
      backout: 'Not needed.',
    },
    ru: {
      subject: 'Расширение {share} на {size} ГБ',
      description: 'Владелец оплачивает, место есть.',
      backout: 'Не требуется.',
    },
  },
  {
    category: 'security',
    team: 'servers',
    service: 'backup',
    type: 'emergency',
    risk: '3',
    en: {
      subject: 'Security patch on {host}',
      description: 'The hole is being exploited elsewhere, the patch is out since {time}.',
      backout: 'Snapshot before the patch.',
    },
    ru: {
      subject: 'Исправление безопасности на {host}',
      description: 'Уязвимость уже используют, исправление вышло в {time}.',
      backout: 'Снимок перед установкой.',
    },
  },
  {
    category: 'security',
    team: 'security',
    service: 'endpoint-security',
    type: 'normal',
    risk: '3',
    en: {
      subject: 'New version of the protection agent',
      description: 'Three waves: IT, one office, everybody. Computers are not restarted.',
      backout: 'Policy returns to the previous version.',
    },
    ru: {
      subject: 'Новая версия агента защиты',
      description: 'Три волны: ИТ, один офис, все. Компьютеры не перезагружаются.',
      backout: 'Политика возвращает предыдущую версию.',
    },
  },
  {
    category: 'telephony',
    team: 'telephony',
    service: 'call-centre',
    type: 'normal',
    risk: '2',
    en: {
      subject: 'New voice menu of the hotline',
      description: 'Two levels instead of four, texts are recorded and accepted.',
      backout: 'Switch the number back to the old menu.',
    },
    ru: {
      subject: 'Новое голосовое меню горячей линии',
      description: 'Два уровня вместо четырёх, тексты записаны и приняты.',
      backout: 'Переключить номер на старое меню.',
    },
  },
  {
    category: 'printing',
    team: 'workplace',
    service: 'printing',
    type: 'standard',
    risk: '4',
    en: {
      subject: 'Replacement of {printer}',
      description: 'The device has printed its 300,000 pages; the new one takes over name and address.',
      backout: 'The old one stays for a week.',
    },
    ru: {
      subject: 'Замена {printer}',
      description: 'Аппарат отпечатал свои 300 000 страниц, новый получает то же имя и адрес.',
      backout: 'Старый аппарат неделю остаётся на месте.',
    },
  },
]
