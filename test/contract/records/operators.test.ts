import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

/** Query on `probe`, and the last digits of the sys_ids (2001, 2002, 2003) that it finds. 2003 is empty in every column. */
const found: readonly (readonly [query: string, ids: string])[] = [
  // equality on every type
  ['c_integer=5', '1'],
  ['c_integer!=5', '2 3'],
  ['c_integer=', '3'],
  ['c_integer!=', '1 2'],
  ['c_smallinteger=-3', '1'],
  ['c_biginteger=9007199254740993', '1'],
  ['c_biginteger=9007199254740992', ''],
  ['c_decimal=1234.50', '1'],
  ['c_decimal=-0.05', '2'],
  ['c_float=0.25', '1'],
  ['c_float=-1500', '2'],
  ['c_percent=45', '1'],
  ['c_boolean=true', '1'],
  ['c_boolean=0', '2'],
  ['c_boolean!=false', '1 3'],
  ['title=FIRST', '1'],
  ['title!=first', '2 3'],
  ['c_text=ёлка И принтер', '1'],
  ['c_url=HTTPS://example.com/a', '1'],
  ['c_email=A@example.com', '1'],
  ['c_color=#FF0000', '1'],
  ['c_translated=hello', '1'],
  ['c_datetime=2026-03-01 22:30:00', '1'],
  ['c_datetime!=2026-03-01 22:30:00', '2 3'],
  ['c_date=2026-02-28', '1'],
  ['c_time=09:05:00', '1'],
  ['c_duration=3900000', '1'],
  ['c_days=96', '2'],
  ['c_choice=2', '1'],
  ['c_reference=201', '1'],
  ['c_reference!=201', '2 3'],
  ['c_list=a,b', '1'],
  ['c_list=a', '2'],
  ['c_list!=a@b', '2 3'],
  ['c_users=202@201', '1'],
  ['c_json={"a":[1,null]}', '1'],
  ['sys_id=2002', '2'],
  // sets
  ['c_integerIN5,10', '1 2'],
  ['c_integerIN5@7', '1'],
  ['c_integerNOT IN5@10', '3'],
  ['c_integerNOTIN10', '1 3'],
  ['titleINFirst,nothing', '1'],
  ['titleNOTINfirst@second', '3'],
  ['c_choiceIN2@10', '1 2'],
  ['c_referenceIN202,203', '2'],
  ['sys_idIN2001,2003', '1 3'],
  // text
  ['titleLIKEIR', '1'],
  ['titleNOTLIKEir', '2 3'],
  ['titleNOT LIKEir', '2 3'],
  ['titleSTARTSWITHsec', '2'],
  ['titleNOTSTARTSWITHsec', '1 3'],
  ['titleENDSWITHOND', '2'],
  ['c_textLIKEПРИНТЕР', '1'],
  ['titleLIKE%', ''],
  ['titleLIKE_', ''],
  ['c_referenceLIKEwanda', '1'],
  ['c_referenceSTARTSWITHRita', '2'],
  ['c_referenceNOT LIKEwanda', '2 3'],
  ['c_choiceSTARTSWITH1', '2'],
  // what is no text is asked by its digits
  ['sys_idENDSWITH02', '2'],
  ['sys_idLIKE200', '1 2 3'],
  ['sys_idNOTSTARTSWITH2', ''],
  // emptiness
  ['titleISEMPTY', '3'],
  ['titleISNOTEMPTY', '1 2'],
  ['c_textISEMPTY', '3'],
  ['c_textEMPTYSTRING', '3'],
  ['titleEMPTYSTRING', ''],
  ['c_listISEMPTY', '3'],
  ['c_usersISEMPTY', '2 3'],
  ['c_jsonISEMPTY', '3'],
  ['c_journalISEMPTY', '1 2 3'],
  ['c_integerANYTHING', '1 2 3'],
  // order
  ['c_integer<10', '1'],
  ['c_integer<=10', '1 2'],
  ['c_integer>5', '2'],
  ['c_integer>=5', '1 2'],
  ['c_integerBETWEEN5@9', '1'],
  ['c_decimal<0', '2'],
  ['c_float>=0.25', '1'],
  ['c_datetime>2026-03-02', '2'],
  ['c_datetimeBETWEEN2026-03-01 22:30:00@2026-03-02 09:00:00', '1 2'],
  ['c_date<=2026-03-01', '1'],
  ['c_time>=18:00:00', '2'],
  ['c_durationBETWEEN45000@45000', '2'],
  ['c_choice>2', '2'],
  ['title<g', '1'],
  // against another field
  ['c_integerSAMEASc_integer', '1 2'],
  ['c_integerNSAMEASc_smallinteger', '1 2 3'],
  ['c_integerGT_FIELDc_smallinteger', '1 2'],
  ['c_smallintegerLT_FIELDc_integer', '1 2'],
  ['c_integerGT_OR_EQUALS_FIELDc_integer', '1 2'],
  ['c_integerLT_OR_EQUALS_FIELDc_smallinteger', ''],
  ['c_reference.emailSAMEASc_reference.email', '1 2'],
  // dates
  ['c_datetimeONToday', '2'],
  ['c_datetimeONYesterday', '1'],
  ['c_datetimeNOTONToday', '1 3'],
  ['c_datetimeON2026-03-01', '1'],
  ['c_dateONToday', '2'],
  ['c_dateONLast month', '1'],
  ['c_datetimeONThis month', '1 2'],
  ['c_datetimeONx@2026-03-01@2026-03-01', '1'],
  ['c_datetimeRELATIVEGT@hour@ago@2', '2'],
  ['c_datetimeRELATIVELT@hour@ago@2', '1'],
  ['c_datetimeRELATIVEGE@day@ago@1', '1 2'],
  ['c_datetimeRELATIVELE@day@ago@1', '1'],
  ['c_datetimeRELATIVEEE@day@ago@0', '2'],
  ['c_datetimeDATEPARThour@9', '2'],
  ['c_dateDATEPARTmonth@2', '1'],
  ['c_dateDATEPARTyear@GE@2026', '1 2'],
  ['c_datetime>=javascript:gs.beginningOfToday()', '2'],
  ['c_datetime<javascript:gs.daysAgo(0)', '1 2'],
  // lists
  ['c_listHASa', '1 2'],
  ['c_listHASb', '1'],
  ['c_listHASNOTb', '2 3'],
  ['c_usersHAS202', '1'],
  // people and classes
  ['c_referenceDYNAMICme', '1'],
  ['c_reference=javascript:gs.getUserID()', '1'],
  ['c_usersHASjavascript:gs.getUserID()', '1'],
  ['c_users=javascript:gs.getUserID()', ''],
  ['c_reference=javascript:gs.getMyGroups()', ''],
  ['c_referenceINjavascript:gs.getUser().getMyGroups()', ''],
  ['titleLIKEjavascript:gs.getUserName()', ''],
  ['c_reference.user_name=javascript:gs.getUserName()', '1'],
  ['sys_db_table_idINSTANCEOFprobe', '1 2 3'],
  ['sys_db_table_idINSTANCEOFtask', ''],
  // full text
  ['123TEXTQUERY321=принтеры', '1'],
  ['AREprinters', '2'],
  ['c_textAREёлки', '1'],
  // dot-walks
  ['c_reference.user_name=worker', '1'],
  ['c_reference.company.name=acme', '1 2'],
  ['c_reference.company.city!=Paris', '1 2 3'],
  ['c_reference.companyISEMPTY', '3'],
  // how conditions combine
  ['c_integer=5^title=first', '1'],
  ['c_integer=5^title=second', ''],
  ['c_integer=5^ORc_integer=10', '1 2'],
  ['titleISNOTEMPTY^c_integer=5^ORc_integerISEMPTY', '1'],
  ['c_integer=5^NQc_integerISEMPTY', '1 3'],
  ['(c_integer=5^title=first)^OR(c_integerISEMPTY)', '1 3'],
  ['title=first^^', ''],
  ['^ORDERBYDESCsys_id', ''],
]

describe('what each operator finds', () => {
  test.each(found.filter(([query]) => !query.startsWith('^')))('%s', async (query, ids) => {
    const path = `/rest/v1/table/probe?sysparm_fields=sys_id&sysparm_query=${encodeURIComponent(query)}`
    const answer = await stage.send('worker', `GET ${path}`)
    const data = ids === '' ? [] : ids.split(' ').map((id) => ({ sys_id: `200${id}` }))
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { status: 'OK', data } })
    expect(answer.headers['x-total-count']).toBe(String(data.length))
  })
})

/** Query on `probe`, and what must stand in the message beside its position. */
const wrong: readonly (readonly [query: string, position: number, says: string])[] = [
  ['c_integerLIKE5', 0, 'LIKE does not fit c_integer'],
  ['title=a^c_boolean>1', 8, '> does not fit c_boolean'],
  ['c_listIN1', 0, 'IN does not fit c_list'],
  ['titleHASa', 0, 'HAS does not fit title'],
  // issue 8, B7
  ['title=a^c_usersHAS', 8, 'HAS takes one or more members'],
  ['c_listHASNOT', 0, 'HASNOT takes one or more members'],
  ['titleONToday', 0, 'ON does not fit title'],
  ['titleDYNAMICme', 0, 'DYNAMIC does not fit title'],
  ['c_jsonBETWEEN1@2', 0, 'BETWEEN does not fit c_json'],
  ['c_integer=five', 0, 'Expected a whole number'],
  ['c_boolean=maybe', 0, 'Expected true or false'],
  ['c_date=2026-02-30', 0, 'found "2026-02-30"'],
  ['c_date=2026-02-28xyz', 0, 'found "2026-02-28xyz"'],
  ['titleLIKEjavascript:gs.getUserID()', 0, 'the id of a user'],
  ['c_reference=wanda', 0, 'Expected the sys_id of a record'],
  ['c_integerSAMEAStitle', 0, 'compares fields of the same type'],
  ['c_referenceDYNAMICyou', 0, 'DYNAMIC takes me, mygroups'],
  ['sys_db_table_idINSTANCEOFnothing', 0, 'there is no table nothing'],
  ['c_datetimeONSomeday', 0, 'Someday'],
  ['nothing=1', 0, 'there is no column nothing in probe'],
  ['title.x=1', 0, 'title in probe is not a reference'],
  ['c_reference.nothing=1', 0, 'there is no column nothing in user'],
  ['title=a^c_datetimeCHANGESTO1', 18, 'CHANGESTO'],
  ['c_datetime=javascript:eval(1)', 0, 'javascript'],
]

describe('what a query says wrong is told with its position', () => {
  test.each(wrong)('%s', async (query, position, says) => {
    const answer = await stage.send('worker', `GET /rest/v1/table/probe?sysparm_query=${encodeURIComponent(query)}`)
    expect(answer.status).toBe(400)
    const [error] = (answer.body as { errors: { message: string; code: string; position: number }[] }).errors
    expect(error).toMatchObject({ code: 'BAD_QUERY', position })
    expect(error?.message).toContain(says)
  })
})
