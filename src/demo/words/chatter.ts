import type { InBoth } from './language.ts'

/** The messages while a ticket is worked on. `{first}`: how the caller is addressed; `{agent}`: the agent's first name. */
export interface Chatter {
  readonly greetings: readonly string[]
  readonly questions: readonly (readonly [question: string, answer: string, sends?: 'picture'])[]
  readonly postponed: readonly string[]
  readonly external: readonly string[]
  readonly handedOn: readonly string[]
  readonly done: readonly string[]
  readonly rejected: readonly string[]
  readonly reworked: readonly string[]
  readonly thanks: readonly string[]
  readonly impatient: readonly string[]
}

export const chatter: InBoth<Chatter> = {
  en: {
    greetings: [
      'Hello {first}, I am looking at it now. {agent}',
      'Hello {first}, I have taken over your ticket and will come back to you today.',
      'Good day {first}, thank you for the details, I am checking.',
      'Hello, I have seen your message and started. {agent}',
    ],
    questions: [
      ['Does it happen every time, or only now and then?', 'Every time since this morning.'],
      [
        'Could you please send a picture of the whole message, with the time?',
        'The picture is attached, it was a quarter of an hour ago.',
        'picture',
      ],
      ['When would be a good time for a remote session of ten minutes?', 'Today until five is fine, please call me.'],
      [
        'Since which day exactly? Did anything change on that day?',
        'Since Monday. On Friday there was an update, I think.',
      ],
      ['Are colleagues next to you affected as well?', 'Yes, two colleagues as well.'],
      [
        'Does it also happen after a restart?',
        'Restarted twice, it is still there. Sorry for the late answer, I was in meetings.',
      ],
      [
        'May I try something on your side this afternoon? You would have to stop working for a few minutes.',
        'Yes, after three, I will be at my desk.',
      ],
    ],
    postponed: [
      'Caller is away until next week, agreed to go on afterwards.',
      'Waits for the maintenance window at the weekend.',
      'Part is ordered, delivery in five working days.',
      'Agreed with the caller to wait for the next release.',
    ],
    external: [
      'Handed to the supplier, their reference is noted in the details.',
      'The carrier measures the line, answer by tomorrow.',
      'Warranty case opened with the manufacturer.',
      "Waiting for the partner's administrator.",
    ],
    handedOn: [
      'First line cannot solve this, handing on.',
      'Belongs to another group, handed on with the findings.',
      'Needs rights that we do not have; please take over.',
      'Checked the usual causes, none fits. Please look at the server side.',
    ],
    done: [
      'Hello {first}, it should work now. Please try and tell me if it does not.',
      'Done. If it happens again, just answer here.',
      'It is solved, please check on your side.',
      'We have found the cause and removed it. Thank you for your patience, {first}.',
    ],
    rejected: [
      'Unfortunately it is back since this morning.',
      'I tried, it still does not work.',
      'Half of it works, the other half shows the same message.',
    ],
    reworked: [
      'Found the second cause, corrected. Please try again.',
      'Had to be done on one more server. It works in my test now.',
    ],
    thanks: [
      'Works, thank you!',
      'Great, many thanks for the quick help.',
      'Perfect, you can close it.',
      'Thank you, all good now.',
      'It works again. Thanks, {agent}!',
    ],
    impatient: [
      'Any news? It keeps me from working.',
      'Could somebody please look at this today?',
      'I have a customer call this afternoon and need it until then.',
      'This is the third time this month.',
    ],
  },
  ru: {
    greetings: [
      '{first}, добрый день! Взял[|а] обращение в работу. {agent}',
      'Здравствуйте, {first}! Обращение принято, вернусь с ответом сегодня.',
      'Добрый день, {first}! Спасибо за подробности, проверяю.',
      'Здравствуйте! Увидел[|а] ваше обращение, начинаю разбираться. {agent}',
    ],
    questions: [
      ['Подскажите, это происходит каждый раз или иногда?', 'С утра каждый раз.'],
      [
        'Пришлите, пожалуйста, снимок всего сообщения, чтобы было видно время.',
        'Снимок приложен, это было пятнадцать минут назад.',
        'picture',
      ],
      ['Когда удобно подключиться к вам минут на десять?', 'Сегодня до пяти в любое время, звоните.'],
      [
        'С какого дня это началось? В этот день что-нибудь менялось?',
        'С понедельника. В пятницу вроде бы было обновление.',
      ],
      ['У коллег рядом то же самое?', 'Да, ещё у двоих.'],
      ['После перезагрузки повторяется?', 'Дважды перезагрузил[|а], всё так же. Извините, что не сразу: совещания.'],
      [
        'Можно сегодня после обеда проверить на вашей стороне? Работу придётся ненадолго прервать.',
        'Да, после трёх буду на месте.',
      ],
    ],
    postponed: [
      'Заявитель в отъезде до следующей недели, договорились продолжить после.',
      'Ждёт окна обслуживания на выходных.',
      'Деталь заказана, поставка пять рабочих дней.',
      'С заявителем договорились ждать следующего выпуска.',
    ],
    external: [
      'Передано поставщику, их номер записан в подробностях.',
      'Оператор проверяет линию, ответ до завтра.',
      'Открыт гарантийный случай у производителя.',
      'Ждём администратора партнёра.',
    ],
    handedOn: [
      'Первая линия решить не может, передаю.',
      'Это профиль другой группы, передаю вместе с результатами проверки.',
      'Нужны права, которых у нас нет, заберите, пожалуйста.',
      'Обычные причины проверены, ни одна не подходит. Посмотрите со стороны сервера.',
    ],
    done: [
      '{first}, теперь должно работать. Проверьте, пожалуйста, и напишите, если нет.',
      'Готово. Если повторится, просто ответьте здесь.',
      'Решено, проверьте, пожалуйста, у себя.',
      'Причину нашли и устранили. Спасибо за терпение, {first}!',
    ],
    rejected: [
      'К сожалению, с утра опять то же самое.',
      'Проверил[|а], по-прежнему не работает.',
      'Наполовину работает, на второй половине то же сообщение.',
    ],
    reworked: [
      'Нашлась вторая причина, исправлено. Проверьте ещё раз, пожалуйста.',
      'Надо было сделать и на втором сервере. На моей проверке теперь работает.',
    ],
    thanks: [
      'Работает, спасибо!',
      'Отлично, большое спасибо за быструю помощь.',
      'Всё в порядке, можно закрывать.',
      'Спасибо, теперь хорошо.',
      'Снова работает. {agent}, спасибо!',
    ],
    impatient: [
      'Есть новости? Не могу работать.',
      'Посмотрите, пожалуйста, сегодня.',
      'Во второй половине дня встреча с клиентом, нужно до неё.',
      'Это уже третий раз за месяц.',
    ],
  },
}
