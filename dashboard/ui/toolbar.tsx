// Parts of the toolbar above a table: search, filters that show their value, a switch between a few values.
// Tested by test/browser/keys.test.ts
import { useId, useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

export function SearchBox({
  title,
  value,
  onValue,
}: {
  /** Also the placeholder: `Find a key by name or prefix`. */
  readonly title: string
  readonly value: string
  onValue(value: string): void
}) {
  return (
    <div class="searchbox">
      <Icon name="search" size={16} />
      <input
        class="input"
        type="search"
        aria-label={title}
        placeholder={title}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}

type ChoiceProps<Value extends string> = {
  readonly title: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  onValue(value: NoInfer<Value>): void
}

/** A filter. It is tinted unless its value is `unset`, by default the first. */
export function Pick<Value extends string>({
  title,
  value,
  options,
  unset = options[0]?.value,
  onValue,
}: ChoiceProps<Value> & { readonly unset?: NoInfer<Value> | undefined }) {
  return (
    <label class={`pick${value === unset ? '' : ' set'}`}>
      {title}:
      <select
        aria-label={title}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    </label>
  )
}

/** More options than this are found by typing: a menu of thousands takes seconds to draw. */
const menuMax = 100
const foundMax = 50

/** A filter with any number of options. Titles that occur twice stand for the first option that has them. */
export function LongPick(props: ChoiceProps<string> & { readonly unset?: string | undefined }) {
  const { title, value, options, unset = options[0]?.value, onValue } = props
  const listId = useId()
  const [typed, setTyped] = useState<string | null>(null)
  if (options.length <= menuMax) return <Pick {...props} />
  const shown = options.find((one) => one.value === value)?.title ?? ''
  const wanted = (typed ?? '').trim().toLowerCase()
  const found = options.filter((one) => one.title.toLowerCase().includes(wanted))
  const choose = (chosen: (typeof options)[number]): void => {
    setTyped(null)
    if (chosen.value !== value) onValue(chosen.value)
  }
  const enter = (text: string): void => {
    const chosen = options.find((one) => one.title === text)
    if (chosen === undefined) setTyped(text)
    else choose(chosen)
  }
  const leave = (): void => {
    const [only, ...others] = found
    if (wanted !== '' && only !== undefined && others.length === 0) choose(only)
    else setTyped(null)
  }
  return (
    <label class={`pick typed${value === unset ? '' : ' set'}`}>
      {title}:
      <input
        type="text"
        aria-label={title}
        list={listId}
        autocomplete="off"
        spellcheck={false}
        value={typed ?? shown}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => enter(event.currentTarget.value)}
        onBlur={leave}
      />
      <datalist id={listId}>
        {found.slice(0, foundMax).map((one) => (
          <option key={one.value} value={one.title} />
        ))}
      </datalist>
    </label>
  )
}

export function Segments<Value extends string>({
  title,
  value,
  options,
  onValue,
}: ChoiceProps<Value>) {
  return (
    <div class="seg" role="group" aria-label={title}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.title}
        </button>
      ))}
    </div>
  )
}
