// The plans as a form offers them.

export const planOptions = [
  { value: 'none', title: 'No limits' },
  { value: 'free', title: 'Free: 3 million units a day, 500 a second' },
  { value: 'developer', title: 'Developer: 15 million a day, 4,000 a second' },
  { value: 'team', title: 'Team: 75 million a day, 40,000 a second' },
] as const

export type Plan = (typeof planOptions)[number]['value']
