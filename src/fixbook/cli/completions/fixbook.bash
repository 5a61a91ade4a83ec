# bash completion of fixbook; written by `python -m fixbook.cli.completing`
_fixbook() {
    local IFS=$'\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word options='' takes='' ended=''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
        case $word in
            --) ended=1; break ;;
            completion|explain|facts|fmt|lint|list|mcp|new|redact|run|search|serve|show|site) [[ $command ]] || command=$word ;;
        esac
    done
    case $command,$previous in
        ,--fact) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        ,-f|,--format) COMPREPLY=($(_fixbook_values 'choices:text markdown html json' "$current")); return ;;
        ,-l|,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        ,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        ,-o|,--output) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        ,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        explain,--id) COMPREPLY=($(_fixbook_values 'ids' "$current")); return ;;
        explain,--fact) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        explain,-f|explain,--format) COMPREPLY=($(_fixbook_values 'choices:text' "$current")); return ;;
        explain,-l|explain,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        explain,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        explain,-o|explain,--output) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        explain,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        facts,-f|facts,--format) COMPREPLY=($(_fixbook_values 'choices:text json' "$current")); return ;;
        facts,-l|facts,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        facts,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        lint,-f|lint,--format) COMPREPLY=($(_fixbook_values 'choices:text json' "$current")); return ;;
        list,--component) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        list,-f|list,--format) COMPREPLY=($(_fixbook_values 'choices:text json' "$current")); return ;;
        list,-l|list,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        list,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        list,-o|list,--output) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        list,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        mcp,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        new,--line) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        new,--id) COMPREPLY=($(_fixbook_values 'ids' "$current")); return ;;
        new,--into) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        new,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        redact,-o|redact,--output) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        run,--on-fail-write) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        run,--silent-after) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        run,--fact) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        run,-l|run,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        run,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        run,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        search,-f|search,--format) COMPREPLY=($(_fixbook_values 'choices:text json' "$current")); return ;;
        search,-l|search,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        search,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        search,-o|search,--output) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        search,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        serve,--host) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--port) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--workers) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--queue) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--body-limit) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--time-limit) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--watch) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--token-file) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        serve,--base-url) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        serve,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        show,-f|show,--format) COMPREPLY=($(_fixbook_values 'choices:text markdown html json' "$current")); return ;;
        show,-l|show,--lang) COMPREPLY=($(_fixbook_values 'choices:en zh both' "$current")); return ;;
        show,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        show,-o|show,--output) COMPREPLY=($(_fixbook_values 'files' "$current")); return ;;
        show,--color) COMPREPLY=($(_fixbook_values 'choices:auto always never' "$current")); return ;;
        site,--base-url) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        site,--repository) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        site,--branch) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
        site,--kb) COMPREPLY=($(_fixbook_values 'folders' "$current")); return ;;
        site,--port) COMPREPLY=($(_fixbook_values 'word' "$current")); return ;;
    esac
    case $command in
        '')
            takes='files'
            options='--full --fact --together --follow --exit-zero -f --format -l --lang --kb --no-shipped -o --output --color --version -h --help' ;;
        completion)
            takes='choices:bash zsh fish'
            options='-h --help' ;;
        explain)
            takes='files'
            options='--id --fact -f --format -l --lang --kb --no-shipped -o --output --color -h --help' ;;
        facts)
            takes=''
            options='-f --format -l --lang --color -h --help' ;;
        fmt)
            takes='files'
            options='--check -h --help' ;;
        lint)
            takes='files'
            options='--strict -f --format --watch -h --help' ;;
        list)
            takes=''
            options='--component -f --format -l --lang --kb --no-shipped -o --output --color -h --help' ;;
        mcp)
            takes=''
            options='--redact-hosts --kb --no-shipped -h --help' ;;
        new)
            takes='files'
            options='--line --id --into --hosts --kb --no-shipped -h --help' ;;
        redact)
            takes='files'
            options='--hosts -o --output -h --help' ;;
        run)
            takes='command'
            options='--on-fail-write --silent-after --full --fact -l --lang --kb --no-shipped --color -h --help' ;;
        search)
            takes='word'
            options='-f --format -l --lang --kb --no-shipped -o --output --color -h --help' ;;
        serve)
            takes=''
            options='--host --port --workers --queue --body-limit --time-limit --watch --token-file --base-url --redact-hosts --kb --no-shipped -h --help' ;;
        show)
            takes='ids'
            options='-f --format -l --lang --kb --no-shipped -o --output --color -h --help' ;;
        site)
            takes='folders'
            options='--base-url --repository --branch --drafts --kb --no-shipped --serve --port -h --help' ;;
    esac
    if [[ $ended && $command == run ]]; then
        takes=command
    elif [[ ! $ended && $current == -* ]]; then
        takes=choices:$options
    elif [[ ! $command ]]; then
        COMPREPLY=($(_fixbook_values "choices:completion explain facts fmt lint list mcp new redact run search serve show site" "$current") $(_fixbook_values files "$current"))
        return
    fi
    COMPREPLY=($(_fixbook_values "$takes" "$current"))
    if [[ $takes == files || $takes == folders ]]; then compopt -o filenames 2>/dev/null; fi
}
_fixbook_values() {
    local IFS=$' \t\n'
    case $1 in
        files) compgen -f -- "$2" ;;
        folders) compgen -d -- "$2" ;;
        ids) compgen -W "$(fixbook list 2>/dev/null | cut -d ' ' -f 1)" -- "$2" ;;
        command) compgen -c -- "$2"; compgen -f -- "$2" ;;
        choices:*) compgen -W "${1#choices:}" -- "$2" ;;
    esac
}
complete -F _fixbook fixbook
