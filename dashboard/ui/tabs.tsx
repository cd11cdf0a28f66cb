// Tabs, operated by click or arrow keys (WAI-ARIA tabs pattern).
import { type ComponentChildren, Fragment } from 'preact'
import { useId, useRef } from 'preact/hooks'

type TabsProps<Name extends string> = {
  /** Name of the tab list, for screen readers. */
  readonly title: string
  readonly tabs: readonly {
    readonly name: Name
    readonly title: string
    /** Heading above the tab. With headings, the list stands beside the content, except on a phone. */
    readonly heading?: string | undefined
  }[]
  readonly chosen: Name
  onChoose(name: NoInfer<Name>): void
  /** Content of the chosen tab. */
  readonly children: ComponentChildren
}

export function Tabs<Name extends string>({
  title,
  tabs,
  chosen,
  onChoose,
  children,
}: TabsProps<Name>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    const at = tabs.findIndex(({ name }) => name === chosen)
    const next = (at + step + tabs.length) % tabs.length
    const name = tabs[next]?.name
    if (name !== undefined) onChoose(name)
    list.current?.querySelectorAll('button')[next]?.focus()
    event.preventDefault()
  }
  return (
    <div class={tabs.some(({ heading }) => heading !== undefined) ? 'tabs-beside' : 'stack'}>
      <div class="tabs" role="tablist" aria-label={title} ref={list} onKeyDown={move}>
        {tabs.map(({ name, title: text, heading }) => (
          <Fragment key={name}>
            {heading !== undefined && (
              <span class="tabs-heading" aria-hidden="true">
                {heading}
              </span>
            )}
            <button
              class="tab"
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => onChoose(name)}
            >
              {text}
            </button>
          </Fragment>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  )
}
