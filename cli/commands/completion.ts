import type { Command } from '../command.ts';

export const completion: Command = {
  kind: 'command',
  name: 'completion',
  summary: 'Print the completion script for a shell',
  arguments: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'] }],
  options: [],
  examples: [
    {
      says: 'bash, in ~/.bashrc',
      command: 'completion bash > ~/.ledgerhouse.bash && . ~/.ledgerhouse.bash',
    },
    { says: 'zsh, in a folder of $fpath', command: 'completion zsh > ~/.zfunc/_ledgerhouse' },
    { says: 'fish', command: 'completion fish > ~/.config/fish/completions/ledgerhouse.fish' },
  ],
  load: async () => (await import('../handlers/completion.ts')).printCompletion,
};
