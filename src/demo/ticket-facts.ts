import type { Random } from './random.ts'
import type { Language } from './words/language.ts'
import { minuteMs, wallClock } from './working-time.ts'

/** Facts that all texts of one ticket share, such as the printer, the office and the error. */
export type Facts = Readonly<Record<FactName, string>>

type FactName = (typeof factNames)[number]
const factNames = [
  'app',
  'asset',
  'code',
  'count',
  'doc',
  'ext',
  'floor',
  'host',
  'ip',
  'minutes',
  'percent',
  'printer',
  'room',
  'share',
  'size',
  'socket',
  'soon',
  'time',
] as const

const rooms = {
  en: ['Oslo', 'Lisbon', 'Vienna', 'Kyoto', 'Toronto', 'Nairobi', 'Cork', 'Bergen'],
  ru: ['«Байкал»', '«Эльбрус»', '«Нева»', '«Кижи»', '«Алтай»', '«Ока»', '«Селигер»', '«Камчатка»'],
}
const applications = {
  en: ['CRM', 'ERP', 'the warehouse system', 'the document archive', 'the dashboards', 'the intranet', 'Payroll'],
  ru: ['CRM', 'ERP', 'WMS', '«Архив»', '«Дашборды»', '«Портал»', '«Зарплата»'],
}
const shares = ['finance', 'projects', 'hr-docs', 'marketing', 'tenders', 'contracts', 'production', 'sales', 'quality']
const hosts = [
  'app-erp-01',
  'app-erp-02',
  'db-crm-01',
  'db-erp-01',
  'fs-01',
  'fs-02',
  'sw-02-03',
  'sw-05-01',
  'ts-04',
  'mx-02',
  'web-03',
  'bk-01',
]

/** Some codes are explained in the demo's knowledge articles, others are not documented yet. */
const codes: Readonly<Record<string, readonly string[]>> = {
  vpn: ['VPN-809', 'VPN-812', 'VPN-720', 'VPN-633'],
  wifi: ['NET-4203', 'NET-4211'],
  internet: ['PRX-403', 'PRX-502'],
  mail: ['550 5.7.1', '550 5.1.10', '451 4.4.0', 'MAIL-2044'],
  printing: ['E-13.20', 'E-49.38', 'PRN-017', 'PRN-023'],
  erp: ['ERP-2217', 'ERP-3051', 'ERP-1108', 'ERR-1042'],
  payroll: ['PAY-305', 'PAY-118'],
  edi: ['EDI-0415', 'SIG-2007'],
  crm: ['CRM-500', 'CRM-417', 'ERR-1042'],
  wms: ['WMS-614', 'WMS-230'],
  backup: ['BKP-3301', 'BKP-3340'],
  mfa: ['MFA-105', 'MFA-210'],
  directory: ['AUTH-4625', 'AUTH-1331', 'ERR-1042'],
}
const commonCodes = [
  'ERR-1042',
  'ERR-2310',
  '0x80070035',
  '0x8007007e',
  '0x80004005',
  'HTTP 502',
  'HTTP 413',
  'ERR-0027',
]

export interface Occasion {
  readonly openedAtMs: number
  readonly zone: string
  readonly language: Language
  readonly service: string
}

export function inventFacts(random: Random, { openedAtMs, zone, language, service }: Occasion): Facts {
  const floor = random.between(1, 9)
  return {
    app: random.pick(applications[language]),
    asset: `NB-${random.between(10_020, 14_980)}`,
    code: random.pick(codes[service] ?? commonCodes),
    // From 5 to 20 Russian has only one plural form.
    count: String(random.between(5, 20)),
    doc: `${language === 'ru' ? 'УТ' : 'SO'}-${String(random.between(1_200, 98_000)).padStart(6, '0')}`,
    ext: String(random.between(2_100, 7_899)),
    floor: String(floor),
    host: random.pick(hosts),
    // The ranges reserved for documentation (RFC 5737).
    ip: `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.between(2, 250)}`,
    minutes: String(random.pick([5, 10, 15, 20, 25, 30, 40])),
    percent: String(random.between(90, 99)),
    printer: `PRN-0${floor}-${String(random.between(1, 14)).padStart(2, '0')}`,
    room: random.pick(rooms[language]),
    share: random.pick(shares),
    size: String(random.pick([12, 25, 30, 45, 60, 80, 120])),
    socket: `${floor}.${random.between(10, 49)}-${random.pick(['A', 'B'])}`,
    soon: wallClock(openedAtMs + random.between(60, 240) * minuteMs, zone),
    time: wallClock(openedAtMs - random.between(8, 90) * minuteMs, zone),
  }
}

/** Names and grammatical forms of the speaker and the person addressed. */
export interface Speech {
  readonly isWoman: boolean
  readonly first?: string
  readonly agent?: string
}

/**
 * Replaces `{slot}` by facts and `[he|she]` by the speaker's form.
 *
 * @throws Error on an unknown slot: the words are wrong
 */
export function fillIn(text: string, facts: Facts, speech: Speech): string {
  const filled = text
    .replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = isFactName(name)
        ? facts[name]
        : name === 'first'
          ? speech.first
          : name === 'agent'
            ? speech.agent
            : undefined
      if (value === undefined) throw new Error(`no fact for {${name}} in: ${text}`)
      return value
    })
    .replace(/\[([^|\]]*)\|([^\]]*)\]/g, speech.isWoman ? '$2' : '$1')
  return filled.charAt(0).toUpperCase() + filled.slice(1)
}

function isFactName(name: string): name is FactName {
  return (factNames as readonly string[]).includes(name)
}

/** The `details` that an agent records: the machine-readable part of an incident. */
export function inventDetails(random: Random, facts: Facts): Readonly<Record<string, unknown>> {
  return {
    asset: facts.asset,
    address: facts.ip,
    system: random.pick(['Windows 11', 'Windows 11', 'Windows 10', 'macOS 15', 'Ubuntu 24.04']),
    remote: random.chance(0.3),
    ...(random.chance(0.25) ? { error: { code: facts.code, seen: random.between(1, 30) } } : {}),
    ...(random.chance(0.12) ? { supplier_case: `S-${random.between(100_000, 999_999)}` } : {}),
  }
}
