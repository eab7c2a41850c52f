# Text from the machine into JSON: whatever bytes it holds, what comes out is one string of
# printable ASCII. Bytes that are not UTF-8 become U+FFFD; control characters become escapes.
json_string() { od -An -v -tu1 | json_bytes; }
# The same from bytes as decimal numbers.
json_bytes() {
  awk '
    function flush_bad() { if (need) { printf "\\ufffd"; need = 0 } }
    BEGIN { printf "\"" }
    { for (i = 1; i <= NF; i++) {
        b = $i + 0
        if (need) {
          if (b >= 128 && b < 192) {
            code = code * 64 + (b - 128)
            if (--need == 0) {
              if (code < low || code > 1114111 || (code >= 55296 && code < 57344)) printf "\\ufffd"
              else if (code < 65536) printf "\\u%04x", code
              else { code -= 65536; printf "\\u%04x\\u%04x", 55296 + int(code / 1024), 56320 + code % 1024 }
            }
            continue
          }
          flush_bad()
        }
        if (b == 34) printf "\\\""
        else if (b == 92) printf "\\\\"
        else if (b < 32 || b == 127) printf "\\u%04x", b
        else if (b < 127) printf "%c", b
        else if (b >= 194 && b < 224) { need = 1; code = b - 192; low = 128 }
        else if (b >= 224 && b < 240) { need = 2; code = b - 224; low = 2048 }
        else if (b >= 240 && b < 245) { need = 3; code = b - 240; low = 65536 }
        else printf "\\ufffd"
      } }
    END { flush_bad(); printf "\"" }'
}

# Nearly all text is plain, and a process costs as much as everything else here: on a slow machine an
# inventory that starts seven for each fact takes seconds.
is_plain() { # TEXT: printable as it is, and short
  case $1 in *[!A-Za-z0-9\ ._:/@+,=\(\)#~*-]*) return 1 ;; esac
  [ ${#1} -le 255 ]
}
# The first line of a file into $line, without the blanks around it; fails if it is not plain.
read_plain() { # FILE
  line=
  # one that has no end of line is read all the same
  { read -r line || :; } 2>/dev/null <"$1"
  is_plain "$line"
}

text() { if is_plain "$1"; then printf '"%s"' "$1"; else printf %s "$1" | json_string; fi; }
# The first line of a file, at most 1 KB of it, without the blanks around it.
line_of() {
  [ -r "$1" ] || return 0
  if read_plain "$1"; then
    printf '%s\n' "$line"
  else
    head -c 1024 "$1" 2>/dev/null | tr -d '\000' | head -n 1 | sed 's/^[[:space:]]*//; s/[[:space:]]*$//'
  fi
}
text_of() {
  if [ -r "$1" ] && read_plain "$1"; then
    printf '"%s"' "$line"
  else
    line_of "$1" | tr -d '\n' | json_string
  fi
}
number_of() {
  line=
  if [ -r "$1" ] && ! read_plain "$1"; then line=$(line_of "$1"); fi
  n_text=$line
  case $n_text in
    -*) echo null ;;
    *) if is_number "$n_text"; then echo "$((n_text))"; else echo null; fi ;;
  esac
}
