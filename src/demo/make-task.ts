import type { Group, World } from './model.ts'
import type { Step, Ticket } from './ticket.ts'
import { fillIn, inventFacts } from './ticket-facts.ts'
import { groupFor } from './ticket-setting.ts'
import type { Language } from './words/language.ts'
import { subtaskTopics, type TaskTopic, taskTopics } from './words/task-topics.ts'
import { addWorkingMinutes, busyMoment, nextWorkdayAt, timestamp } from './working-time.ts'

/** Routine work of a team: without a caller, done by a member of the team. */
export function makeRoutineTask(world: World): Ticket {
  const { random, staffing, span } = world
  const topic = random.pick(taskTopics)
  const language = random.pick(['en', 'ru'] as const)
  const group = groupFor(staffing, topic.team, language)
  const openedAtMs = busyMoment(random, span, language === 'ru' ? 'Europe/Moscow' : 'Europe/London')
  return makeTask(world, { table: 'task', topic, language, group, openedAtMs, parent: null })
}

/** The parts of a larger request after its approval: work for several teams. */
export function makeSubtasks(world: World, request: Ticket): readonly Ticket[] {
  const { random, staffing } = world
  const started = request.steps.find(({ state }) => state === '1')
  if (started === undefined || !random.chance(0.3)) return []
  const language = request.openedBy.language
  return random.sample(subtaskTopics, random.between(1, 3)).map((topic, position) =>
    makeTask(world, {
      table: 'itsm_task',
      topic,
      language,
      group: groupFor(staffing, topic.team, language),
      openedAtMs: started.atMs + (position + 1) * 4_000,
      parent: request,
    }),
  )
}

interface TaskPlan {
  readonly table: 'task' | 'itsm_task'
  readonly topic: TaskTopic
  readonly language: Language
  readonly group: Group
  readonly openedAtMs: number
  readonly parent: Ticket | null
}

function makeTask(world: World, { table, topic, language, group, openedAtMs, parent }: TaskPlan): Ticket {
  const { random, ground } = world
  const fluent = group.members.filter((member) => member.language === language)
  const doer = random.pick(fluent.length > 0 ? fluent : group.members)
  const giver = random.pick(group.members)
  const zone = doer.timeZone
  const facts = inventFacts(random, { openedAtMs, zone, language, service: '' })
  const [subject, description] = topic[language]
  const takenAtMs = addWorkingMinutes(openedAtMs, random.longTailed(40, 2.5), zone)
  const startedAtMs = addWorkingMinutes(takenAtMs, random.longTailed(240, 2.5), zone)
  const doneAtMs = addWorkingMinutes(startedAtMs, random.longTailed(300, 2.8), zone)
  const steps: readonly Step[] = [
    { atMs: openedAtMs, by: giver, group },
    { atMs: takenAtMs, by: giver, state: '1', assignee: doer },
    { atMs: startedAtMs, by: doer, state: '2' },
    {
      atMs: doneAtMs,
      by: doer,
      state: '7',
      ...(random.chance(0.3) ? { entry: { column: 'work_notes' as const, text: random.pick(results[language]) } } : {}),
      ...(table === 'itsm_task' ? { sets: { close_code: 'solved' } } : {}),
    },
    { atMs: addWorkingMinutes(doneAtMs, random.longTailed(400, 2), zone), by: giver, state: '10' },
  ]
  const priority = random.pick(['3', '3', '4', '4', '2'] as const)
  const dueAtMs = nextWorkdayAt(addWorkingMinutes(openedAtMs, random.between(1, 6) * 540, zone), 18, zone)
  return {
    id: ground.newSysId(openedAtMs),
    table,
    openedAtMs,
    openedBy: giver,
    steps,
    columns: {
      subject: fillIn(subject, facts, giver),
      short_description: null,
      description: fillIn(description, facts, giver),
      priority,
      urgency: priority,
      impact: '4',
      due_date: timestamp(dueAtMs),
      sla_due: parent === null ? null : timestamp(dueAtMs),
      company: giver.company.id,
      parent_id: parent?.id ?? null,
      service: parent?.columns['service'] ?? null,
      ...(table === 'itsm_task' ? { contact_type: 'self_service', reassignment_count: 0 } : {}),
    },
  }
}

const results: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Done, nothing unusual.',
    'Done; two points are noted in the list.',
    'Done. One incident opened from it.',
    'Done, handed to the colleagues of the next shift.',
  ],
  ru: [
    'Выполнено, без замечаний.',
    'Выполнено, два замечания внесены в список.',
    'Выполнено. По итогам заведён один инцидент.',
    'Выполнено, передано следующей смене.',
  ],
}
