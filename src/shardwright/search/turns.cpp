#include "shardwright/search/turns.h"

#include <algorithm>
#include <map>

namespace shardwright::search {

using analysis::ColorId;
using program::OpId;

namespace {

double resultBytes(const plan::Subject& subject, OpId op) {
  double bytes = 0;
  for (const program::TypeId type : subject.program.resultTypes(subject.program.op(op).signature))
    bytes += static_cast<double>(subject.program.types().bytes(type));
  return bytes * subject.program.region(subject.program.op(op).region).weight;
}

// Copies have equal classes and equal multisets of signatures.
std::vector<uint64_t> copyMark(const plan::Subject& subject, const plan::MeetingSet& set) {
  std::vector<uint64_t> mark;
  for (const OpId op : set.ops) mark.push_back(subject.program.op(op).signature.index());
  std::ranges::sort(mark);
  const auto classOf = [&](ColorId color) {
    return subject.analysis.colors()[color].classId.index();
  };
  mark.insert(mark.end(), {classOf(set.first), classOf(set.second)});
  return mark;
}

}  // namespace

std::vector<MeetingClass> meetingClasses(const plan::Subject& subject) {
  const plan::Meetings meetings(subject);
  std::map<std::vector<uint64_t>, size_t> places;
  std::vector<MeetingClass> classes;
  for (const plan::MeetingSet& set : meetings.sets()) {
    const auto [place, isNew] = places.try_emplace(copyMark(subject, set), classes.size());
    if (isNew) {
      classes.push_back({subject.analysis.colors()[set.first].classId,
                         subject.analysis.colors()[set.second].classId,
                         {},
                         0});
    }
    MeetingClass& entry = classes[place->second];
    for (const OpId op : set.ops) entry.bytes += resultBytes(subject, op);
    entry.sets.push_back(set);
  }
  std::ranges::stable_sort(classes, std::ranges::greater(), &MeetingClass::bytes);
  return classes;
}

std::vector<plan::Turn> turnsOf(const MeetingClass& meeting, uint32_t axis, bool firstWins) {
  std::vector<plan::Turn> turns;
  for (const plan::MeetingSet& set : meeting.sets)
    turns.push_back({axis, firstWins ? set.first : set.second, set.ops});
  return turns;
}

}  // namespace shardwright::search
