import { useState } from 'react'
import { t } from '../messages/i18n.ts'
import { type FormPreference, reportUnstored, usePreference } from '../preferences.ts'
import { areSingleKeysOn, setSingleKeys } from '../ui/single-keys.ts'
import { useStoredLook } from '../ui/use-look.ts'
import css from './me.module.css'
import { Part } from './part.tsx'

const themes = ['light', 'dark', 'system'] as const
const densities = ['compact', 'comfortable'] as const

/** The look of the console for this user. Single-key shortcuts are a setting of this browser: they depend on the keyboard. */
export function Appearance() {
  const { look, isRead, change } = useStoredLook()
  const form = usePreference<FormPreference>('form')
  // The stored value reaches this page only after the click: until then the box would jump back.
  const [hasTabs, chooseTabs] = useState<boolean>()
  const [hasKeys, chooseKeys] = useState(areSingleKeysOn)
  return (
    <Part title={t('me.appearance')} hint={t('me.appearanceHint')}>
      <Choice
        name="theme"
        title={t('theme.title')}
        value={look.theme}
        isRead={isRead}
        options={themes.map((value) => [value, t(`theme.${value}`)])}
        onChange={(theme) => change({ theme })}
      />
      <Choice
        name="density"
        title={t('density.title')}
        value={look.density}
        isRead={isRead}
        options={densities.map((value) => [value, t(`density.${value}`)])}
        onChange={(density) => change({ density })}
      />
      <label className={css.check}>
        <input
          type="checkbox"
          checked={hasTabs ?? form.value?.tabs === true}
          // Before, the box displays a value that may not be the stored one.
          disabled={!form.isRead}
          onChange={(event) => {
            chooseTabs(event.target.checked)
            form.set({ tabs: event.target.checked }).catch(reportUnstored)
          }}
        />
        {t('me.tabs')}
      </label>
      <label className={css.check}>
        <input
          type="checkbox"
          checked={hasKeys}
          onChange={(event) => {
            setSingleKeys(event.target.checked)
            chooseKeys(event.target.checked)
          }}
        />
        {t('me.singleKeys')}
      </label>
    </Part>
  )
}

interface ChoiceProps<T extends string> {
  readonly name: string
  readonly title: string
  readonly value: T
  /** Before, the displayed value may not be the stored one, and a choice would replace what is stored of the others. */
  readonly isRead: boolean
  readonly options: readonly (readonly [value: T, title: string])[]
  readonly onChange: (value: T) => void
}

function Choice<T extends string>({ name, title, value, isRead, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className={css.choice} disabled={!isRead}>
      <legend>{title}</legend>
      {options.map(([each, label]) => (
        <label key={each} className={css.option} data-chosen={each === value}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
