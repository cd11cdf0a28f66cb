// Parts of the toolbar above a table: search, filters that show their value, a switch between a few values.
// Tested by test/browser/keys.test.ts
import { useEffect, useId, useState } from 'preact/hooks'
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

const listedMax = 50

type Option = { readonly value: string; readonly title: string }

/**
 * A filter with any number of options. `find`: returns further options for a text; null: there are none. Of two options with one
 * title, the first is chosen.
 */
export function LongPick(
  props: ChoiceProps<string> & {
    readonly unset?: string | undefined
    readonly find: ((text: string) => Promise<readonly Option[]>) | null
  },
) {
  const { find, ...pick } = props
  return find === null ? <Pick {...pick} /> : <TypedPick {...pick} find={find} />
}

const typingMs = 200

function TypedPick({
  title,
  value,
  options,
  unset = options[0]?.value,
  find,
  onValue,
}: ChoiceProps<string> & {
  readonly unset?: string | undefined
  find(text: string): Promise<readonly Option[]>
}) {
  const listId = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const [found, setFound] = useState<readonly Option[]>(options)
  const [own, setOwn] = useState<Option | null>(null)
  const wanted = (typed ?? '').trim()
  useEffect(() => {
    if (wanted === '') {
      setFound(options)
      return undefined
    }
    let isOld = false
    const search = async (): Promise<void> => {
      const next = await find(wanted)
      if (!isOld) setFound(next)
    }
    // A failed search leaves the options of before.
    const timer = setTimeout(() => void search().catch(() => {}), typingMs)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [wanted])
  const shown = own?.value === value ? own : options.find((one) => one.value === value)
  const choose = (chosen: Option): void => {
    setTyped(null)
    setOwn(chosen)
    if (chosen.value !== value) onValue(chosen.value)
  }
  const enter = (text: string): void => {
    const chosen = found.find((one) => one.title === text)
    if (chosen === undefined) setTyped(text)
    else choose(chosen)
  }
  /** Chooses the only option that matches; otherwise the field shows the chosen one again. */
  const leave = async (): Promise<void> => {
    if (wanted === '') return setTyped(null)
    const [only, ...others] = await find(wanted).catch(() => [])
    if (only !== undefined && others.length === 0) choose(only)
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
        value={typed ?? shown?.title ?? ''}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => enter(event.currentTarget.value)}
        onBlur={() => void leave()}
      />
      <datalist id={listId}>
        {found.slice(0, listedMax).map((one) => (
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
