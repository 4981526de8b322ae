import type { Problem } from './make-problem.ts'
import type { Row, World } from './model.ts'
import type { Random } from './random.ts'
import type { Ticket } from './ticket.ts'
import { fillIn, inventDetails, inventFacts } from './ticket-facts.ts'
import { liveThrough } from './ticket-life.ts'
import { deadlines, followers, groupFor, raiseAlarm, receiveCall, serviceId, weigh } from './ticket-setting.ts'
import { accessTopics } from './words/incident-topics-access.ts'
import { applicationTopics } from './words/incident-topics-applications.ts'
import { infrastructureTopics } from './words/incident-topics-infrastructure.ts'
import { mailTopics } from './words/incident-topics-mail.ts'
import { networkTopics } from './words/incident-topics-network.ts'
import { workplaceTopics } from './words/incident-topics-workplace.ts'
import type { Language } from './words/language.ts'
import type { Topic } from './words/topic.ts'
import { dayMs } from './working-time.ts'

const topics: readonly (readonly [Topic, number])[] = [
  ...networkTopics,
  ...accessTopics,
  ...mailTopics,
  ...workplaceTopics,
  ...applicationTopics,
  ...infrastructureTopics,
].map((topic) => [topic, topic.weight] as const)

export function makeIncident(world: World, problems: readonly Problem[]): Ticket {
  const { random, staffing, ground } = world
  const topic = random.pickWeighted(topics)
  const call = topic.monitored === true ? { ...raiseAlarm(world), caller: null } : receiveCall(world)
  const language = call.caller?.language ?? random.pick(['en', 'ru'] as const)
  const zone = call.caller?.timeZone ?? (language === 'ru' ? 'Europe/Moscow' : 'Europe/London')
  const words = random.pick(topic.cases)[language]
  const facts = inventFacts(random, { openedAtMs: call.openedAtMs, zone, language, service: topic.service })
  const weight = weigh(random, call.caller)
  const team = groupFor(staffing, topic.team, language)
  const firstLine = groupFor(staffing, 'first-line', language)
  const goesRound = call.caller !== null && team !== firstLine && random.chance(0.45)
  const steps = liveThrough(random, {
    ...call,
    ...weight,
    language,
    facts,
    finding: words.finding,
    fix: words.fix,
    groups: goesRound ? [firstLine, team] : [team],
    countsReopening: true,
  })
  const speaker = call.caller ?? staffing.monitoring
  const subject = fillIn(random.pick(words.subjects), facts, speaker)
  return {
    id: ground.newSysId(call.openedAtMs),
    table: 'itsm_incident',
    openedAtMs: call.openedAtMs,
    story: { facts, language },
    openedBy: call.openedBy,
    steps,
    columns: {
      subject,
      short_description: random.chance(0.7) ? subject : null,
      description: fillIn(words.description, facts, speaker),
      ...weight,
      ...deadlines(random, call.openedAtMs, weight.priority, zone),
      caller: call.caller?.id ?? null,
      contact: call.caller?.id ?? null,
      company: call.caller?.company.id ?? null,
      service: serviceId(staffing, topic.service),
      followers_list: followers(random, staffing, 0.12),
      parent_id: causeAmong(random, problems, topic, call.openedAtMs),
      category: topic.category,
      subcategory: subcategoryOf(topic),
      contact_type: call.contactType,
      reassignment_count: 0,
      reopen_count: 0,
      severity: weight.priority === '1' ? '1' : weight.priority === '2' ? '2' : '3',
      labels: labelsOf(random, topic, call.caller?.isVip === true),
      details: random.chance(0.4) ? inventDetails(random, facts) : null,
      workaround: workaround(random, language),
    } satisfies Row,
  }
}

/** Chosen by the words of the topic; null if none matches. */
function subcategoryOf({ category, cases }: Topic): string | null {
  const words = cases.flatMap(({ en }) => en.subjects).join(' ')
  return SUBCATEGORIES[category]?.find(({ says }) => says.test(words))?.value ?? null
}

const SUBCATEGORIES: Readonly<Record<string, readonly { readonly value: string; readonly says: RegExp }[]>> = {
  access: [
    { value: 'password', says: /password/i },
    { value: 'permissions', says: /folder|rights|permission|denied/i },
    { value: 'account', says: /account|sign in|log in/i },
  ],
  hardware: [
    { value: 'monitor', says: /monitor|screen|display/i },
    { value: 'peripherals', says: /keyboard|mouse|headset|dock|camera/i },
    { value: 'computer', says: /laptop|computer|battery|pc\b/i },
  ],
  software: [
    { value: 'installation', says: /install|update/i },
    { value: 'office', says: /word|excel|document|spreadsheet/i },
    { value: 'operating_system', says: /windows|boot|blue screen/i },
  ],
  network: [
    { value: 'vpn', says: /vpn/i },
    { value: 'wifi', says: /wi-?fi/i },
    { value: 'lan', says: /network|port|cable|switch/i },
  ],
  mail: [
    { value: 'calendar', says: /calendar|meeting/i },
    { value: 'spam', says: /spam|phish|junk/i },
    { value: 'mailbox', says: /mail/i },
  ],
}

/** Some incidents have the cause of a problem of the same service. */
function causeAmong(random: Random, problems: readonly Problem[], topic: Topic, openedAtMs: number): string | null {
  const near = problems.filter(
    ({ ticket, service }) => service === topic.service && Math.abs(ticket.openedAtMs - openedAtMs) < 12 * dayMs,
  )
  return near.length > 0 && random.chance(0.25) ? random.pick(near).ticket.id : null
}

function labelsOf(random: Random, topic: Topic, isVip: boolean): readonly string[] | null {
  const labels = [
    ...(isVip ? ['vip'] : []),
    ...(topic.monitored === true ? ['monitoring'] : []),
    ...(random.chance(0.08) ? ['remote'] : []),
    ...(random.chance(0.05) ? ['knowledge'] : []),
  ]
  return labels.length > 0 ? labels : null
}

const workaroundIntroduction: Readonly<Record<Language, string>> = { en: 'Until it is solved:', ru: 'Пока не решено:' }
const workarounds: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'use the browser version',
    "work on a colleague's computer",
    'send it from another mailbox',
    'use the device on the next floor',
  ],
  ru: [
    'пользоваться версией в браузере',
    'работать на компьютере коллеги',
    'отправлять из другого ящика',
    'пользоваться устройством этажом ниже',
  ],
}

function workaround(random: Random, language: Language): string | null {
  if (!random.chance(0.06)) return null
  return `<p>${workaroundIntroduction[language]} <strong>${random.pick(workarounds[language])}</strong>.</p>`
}
